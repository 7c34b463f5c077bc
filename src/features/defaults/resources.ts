import { isQuantity, parseQuantity, quantityToMilli } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from './cluster-config.ts'

/** More virtual CPUs than this are not offered for plugging. */
const mostVcpus = 512

/** Memory: limits are requests, requests are guest memory, and the other way round, wherever one of them is missing. */
export function completeMemoryInto(spec: VirtualMachineInstanceSpec): void {
  const { domain } = spec
  const limit = domain.resources?.limits?.['memory']
  const request = domain.resources?.requests?.['memory'] ?? limit
  const guest = domain.memory?.guest ?? request ?? domain.memory?.hugepages?.pageSize
  if (guest === undefined) return
  domain.memory = { ...domain.memory, guest }
  domain.resources = { ...domain.resources, requests: { ...domain.resources?.requests, memory: request ?? guest } }
}

/** CPU layout (sockets from the limit or request when there is none), model, and how many sockets may be plugged. */
export function completeCpuInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { domain } = spec
  const cpu = { ...domain.cpu }
  if (!cpu.sockets && !cpu.cores && !cpu.threads) cpu.sockets = socketsFromResources(domain.resources)
  cpu.sockets = cpu.sockets || 1
  cpu.cores = cpu.cores || 1
  cpu.threads = cpu.threads || 1
  cpu.model = cpu.model || config.cpuModel
  cpu.maxSockets = Math.max(cpu.sockets, cpu.maxSockets ?? defaultMaxSockets(cpu.sockets, cpu.cores * cpu.threads, config))
  domain.cpu = cpu
}

function socketsFromResources(resources: VirtualMachineInstanceSpec['domain']['resources']): number {
  const text = resources?.limits?.['cpu'] ?? resources?.requests?.['cpu']
  if (text === undefined || !isQuantity(text)) return 1
  return Math.max(1, Math.ceil(Number(quantityToMilli(parseQuantity(text))) / 1000))
}

function defaultMaxSockets(sockets: number, vcpusPerSocket: number, config: ClusterConfig): number {
  return Math.min(sockets * config.maxHotplugRatio, Math.floor(mostVcpus / vcpusPerSocket))
}
