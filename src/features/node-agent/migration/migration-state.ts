import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Ports } from '../guest/ports.ts'

/** A change of a VMI's record of its migration, as a merge patch: `null` takes a field away. */
export type MigrationStatePatch = Changed<VirtualMachineInstanceMigrationState>

type Changed<T> = {
  readonly [F in keyof T]?: NonNullable<T[F]> extends readonly unknown[]
    ? T[F]
    : NonNullable<T[F]> extends object
      ? Changed<T[F]> | null
      : T[F] | null
}

/**
 * Writes what this side has to say. With the resourceVersion: each word is said of the state that
 * was seen, and of no later one, which keeps the two sides from acting past each other.
 */
export function patchMigrationState(
  { client }: Pick<Ports, 'client'>,
  { metadata }: VirtualMachineInstance,
  word: MigrationStatePatch,
  also: { readonly status?: Partial<Record<keyof VirtualMachineInstanceStatus, unknown>>; readonly labels?: Record<string, string> } = {},
): Promise<VirtualMachineInstance> {
  const { name = '', namespace = '', resourceVersion } = metadata
  const body = {
    metadata: { resourceVersion, ...(also.labels === undefined ? {} : { labels: also.labels }) },
    status: { ...also.status, migrationState: word },
  }
  return client.patch(virtualMachineInstances, { namespace, name }, { type: 'merge', body })
}
