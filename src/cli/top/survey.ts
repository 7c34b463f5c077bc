import type { Node } from '#api/core/v1/node.ts'
import { nodes } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isForbidden } from '#apimachinery/errors.ts'
import { parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import type { Client } from '#client/client.ts'
import { CommandError } from '../context.ts'
import type { UsageReadings } from './read-usage.ts'
import type { NodeUsage, VmUsage } from './render.ts'
import { ratesBetween, sumOf } from './usage-rates.ts'

/** Returns what each guest used between two readings; one that only one has is left out. Pure. */
export function vmUsages(before: UsageReadings, after: UsageReadings): VmUsage[] {
  return [...after].flatMap(([key, { vmi, usage }]) => {
    const old = before.get(key)
    const rates = old === undefined ? undefined : ratesBetween(old.usage, usage)
    const { namespace = '', name = '' } = vmi.metadata
    return rates === undefined ? [] : [{ namespace, name, node: vmi.status?.nodeName ?? '', cpus: cpusOf(vmi), usage: rates }]
  })
}

/** Returns what the guests of each node use, also of nodes without guests. Pure. */
export function nodeUsages(all: readonly Node[], vms: readonly VmUsage[]): NodeUsage[] {
  const byNode = Map.groupBy(vms, ({ node }) => node)
  return all.map(({ metadata: { name = '' }, status }) => {
    const own = byNode.get(name) ?? []
    const amount = (resource: string): number => quantityToNumber(parseQuantity(status?.allocatable?.[resource] ?? '0'))
    return {
      name,
      guests: own.length,
      allocatable: { cores: amount('cpu'), memoryBytes: amount('memory') },
      usage: sumOf(own.map(({ usage }) => usage)),
    }
  })
}

/** Lists the nodes of the given names, or all. @throws CommandError */
export async function readNodes(client: Pick<Client, 'list'>, names: readonly string[], signal: AbortSignal): Promise<readonly Node[]> {
  const { items } = await client.list(nodes, { signal }).catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    const message = 'You may not list nodes: that takes the right "list" on "nodes"; "steadyvm top vm" shows VMs without it'
    throw new CommandError(message, undefined, { cause: error })
  })
  const missing = names.find((name) => !items.some(({ metadata }) => metadata.name === name))
  if (missing !== undefined)
    throw new CommandError(`There is no node "${missing}": there are ${items.map(({ metadata }) => metadata.name).join(', ')}`)
  return names.length === 0 ? items : items.filter(({ metadata }) => names.includes(metadata.name ?? ''))
}

/** Number of a guest's CPUs, those that are not plugged left out. */
function cpusOf({ spec, status }: VirtualMachineInstance): number {
  const { sockets = 1, cores = 1, threads = 1 } = status?.currentCPUTopology ?? spec.domain.cpu ?? {}
  return sockets * cores * threads
}
