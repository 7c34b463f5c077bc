import { isQuantity, parseQuantity, quantityToMilli } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '../cluster-config.ts'

type Amount = string | number

/** Sets guest memory to what is requested, else to the limit, else to one huge page. */
export function completeGuestMemoryInto({ domain }: VirtualMachineInstanceSpec): void {
  const memory = (domain.memory ??= {})
  const { requests, limits } = domain.resources ?? {}
  const guest = memory.guest ?? ifSet(requests?.['memory']) ?? ifSet(limits?.['memory']) ?? memory.hugepages?.pageSize
  if (guest !== undefined) memory.guest = guest
}

/** Sets the CPU request to the limit, else to the request that the cluster is configured with. */
export function completeCpuRequestInto({ domain }: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { requests, limits } = domain.resources ?? {}
  const ofCluster = domain.cpu?.dedicatedCpuPlacement === true || requests?.['cpu'] !== undefined ? undefined : config.cpuRequest
  const cpu = ifSet(requests?.['cpu']) ?? ifSet(limits?.['cpu']) ?? ofCluster
  if (cpu !== undefined && cpu !== requests?.['cpu']) domain.resources = { ...domain.resources, requests: { ...requests, cpu } }
}

/** Sets the topology of a guest without one: as many sockets as its limit or request of CPUs. */
export function completeCpuTopologyInto({ domain }: VirtualMachineInstanceSpec): void {
  const { cpu, resources } = domain
  if (cpu?.sockets || cpu?.cores || cpu?.threads) return
  domain.cpu = { ...cpu, sockets: socketsFromResources(resources), cores: 1, threads: 1 }
}

/**
 * Sets the levels that a CPU topology leaves out to 1, which they mean: KubeVirt leaves them out,
 * and cannot plug sockets into such a guest.
 */
export function completeCountsInto({ domain: { cpu } }: VirtualMachineInstanceSpec): void {
  if (cpu !== undefined) for (const level of ['sockets', 'cores', 'threads'] as const) cpu[level] = cpu[level] || 1
}

/** Sets the CPU model. */
export function completeCpuModelInto({ domain, architecture }: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  if (domain.cpu?.model) return
  domain.cpu = { ...domain.cpu, model: architecture === 'arm64' ? 'host-passthrough' : config.cpuModel }
}

/** As in KubeVirt, an amount of 0 counts as none. */
function ifSet(amount: Amount | undefined): Amount | undefined {
  return amount === undefined || (isQuantity(amount) && parseQuantity(amount).nanos === 0n) ? undefined : amount
}

function socketsFromResources(resources: VirtualMachineInstanceSpec['domain']['resources']): number {
  const text = resources?.limits?.['cpu'] ?? resources?.requests?.['cpu']
  if (text === undefined || !isQuantity(text)) return 1
  return Math.max(1, Math.ceil(Number(quantityToMilli(parseQuantity(text))) / 1000))
}
