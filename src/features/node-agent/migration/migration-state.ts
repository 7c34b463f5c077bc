import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Ports } from '../guest/ports.ts'

/** Merge patch of `status.migrationState`; `null` removes a field. */
export type MigrationStatePatch = Changed<VirtualMachineInstanceMigrationState>

type Changed<T> = {
  readonly [F in keyof T]?: NonNullable<T[F]> extends readonly unknown[]
    ? T[F]
    : NonNullable<T[F]> extends object
      ? Changed<T[F]> | null
      : T[F] | null
}

/**
 * Patches `status.migrationState` with a resourceVersion precondition, so that each side acts only
 * on state that it has seen.
 */
export function patchMigrationState(
  { client }: Pick<Ports, 'client'>,
  vmi: VirtualMachineInstance,
  word: MigrationStatePatch,
  also: { readonly status?: Partial<Record<keyof VirtualMachineInstanceStatus, unknown>>; readonly labels?: Record<string, string> } = {},
): Promise<VirtualMachineInstance> {
  const { labels, status } = also
  const change = { ...(labels === undefined ? {} : { metadata: { labels } }), status: { ...status, migrationState: word } }
  return patchIfUnchanged(client, virtualMachineInstances, vmi, change)
}
