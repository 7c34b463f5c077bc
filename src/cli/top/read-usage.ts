import { virtualMachineInstanceSubresources } from '#api/kubevirt/v1/subresources.ts'
import type { VirtualMachineInstanceUsage } from '#features/guest-access/index.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isForbidden, isNotFound, isConflict } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { CommandError } from '../context.ts'

/** The guests that are asked for. */
export interface GuestSelection {
  /** Undefined: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  /** Empty: all. */
  readonly names: readonly string[]
}

/** Readings of running guests, by the namespace and name of their VMIs. */
export type UsageReadings = ReadonlyMap<string, UsageReading>

/** A running guest, and what it has used. */
export interface UsageReading {
  readonly vmi: VirtualMachineInstance
  readonly usage: VirtualMachineInstanceUsage
}

/** Readings, and why some guests have none. */
export interface UsageSurvey {
  readonly readings: UsageReadings
  readonly failures: readonly string[]
}

const usages = virtualMachineInstanceSubresources as ResourceType<VirtualMachineInstanceUsage & KubeObject>

/** Guests that are asked side by side. */
const parallel = 16

/**
 * Asks the node agents, through virt-api, for the usage of all selected guests that run. One that
 * does not answer is a failure of its own. @throws CommandError without the right
 */
export async function readUsage(
  client: Pick<Client, 'get' | 'list'>,
  selection: GuestSelection,
  signal: AbortSignal,
): Promise<UsageSurvey> {
  const { namespace, labelSelector, names } = selection
  const { items } = await client.list(virtualMachineInstances, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    signal,
  })
  const wanted = items.filter(({ metadata }) => names.length === 0 || names.includes(metadata.name ?? ''))
  const missing = names.find((name) => !wanted.some(({ metadata }) => metadata.name === name))
  if (missing !== undefined)
    throw new CommandError(`VM "${namespace ?? ''}/${missing}" has no guest: "steadyvm start ${missing}" starts it, if it exists`)
  const running = wanted.filter(({ status }) => status?.phase === 'Running')
  const readings = new Map<string, UsageReading>()
  const failures: string[] = []
  const rest = running.values()
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const vmi of rest) {
        const { namespace: space = '', name = '' } = vmi.metadata
        try {
          const key = { namespace: space, name }
          const usage = await client.get(usages, key, { subresource: 'usage', signal })
          readings.set(`${space}/${name}`, { vmi, usage })
        } catch (error) {
          if (isForbidden(error)) throw withoutRight(space, error)
          // It has ended meanwhile.
          if (isConflict(error)) continue
          signal.throwIfAborted()
          failures.push(`${space}/${name}: ${reasonOf(error)}`)
        }
      }
    }),
  )
  return { readings, failures }
}

function withoutRight(namespace: string, cause: unknown): CommandError {
  const right = '"get" on "virtualmachineinstances/usage" of the group "subresources.kubevirt.io"'
  return new CommandError(
    `You may not read what guests in namespace "${namespace}" use: that takes the right ${right}, which the role "view" has`,
    undefined,
    { cause },
  )
}

function reasonOf(error: unknown): string {
  if (isNotFound(error)) return 'it has ended, or the installed release does not report what guests use'
  return error instanceof Error ? error.message : String(error)
}
