import { formatQuantity, isQuantity, parseQuantity, quantityFromBytes, quantityToBytes, quantityToMilli } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '../cluster-config.ts'

/**
 * Completes memory: requests default to limits, guest memory to requests, and the other way round.
 * Where the cluster overcommits memory, a guest without request requests less than its memory.
 */
export function completeMemoryInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { domain } = spec
  const limit = domain.resources?.limits?.['memory']
  const request = domain.resources?.requests?.['memory'] ?? limit
  const guest = domain.memory?.guest ?? request ?? domain.memory?.hugepages?.pageSize
  if (guest === undefined) return
  domain.memory = { ...domain.memory, guest }
  domain.resources = { ...domain.resources, requests: { ...domain.resources?.requests, memory: request ?? shareOf(guest, config) } }
}

function shareOf(guest: string | number, { memoryOvercommitPercent: percent }: ClusterConfig): string | number {
  if (percent === 100 || percent < 1 || !isQuantity(guest)) return guest
  const quantity = parseQuantity(guest)
  return formatQuantity(quantityFromBytes((quantityToBytes(quantity) * 100n) / BigInt(Math.trunc(percent)), quantity.format))
}

/**
 * CPU layout (sockets from the limit or request when there is none), model, and the request where
 * there is only a limit.
 */
export function completeCpuInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { domain } = spec
  const cpu = { ...domain.cpu }
  if (!cpu.sockets && !cpu.cores && !cpu.threads) cpu.sockets = socketsFromResources(domain.resources)
  cpu.sockets = cpu.sockets || 1
  cpu.cores = cpu.cores || 1
  cpu.threads = cpu.threads || 1
  cpu.model = cpu.model || config.cpuModel
  domain.cpu = cpu
  const limit = domain.resources?.limits?.['cpu']
  if (limit !== undefined && domain.resources?.requests?.['cpu'] === undefined) {
    domain.resources = { ...domain.resources, requests: { ...domain.resources?.requests, cpu: limit } }
  }
}

function socketsFromResources(resources: VirtualMachineInstanceSpec['domain']['resources']): number {
  const text = resources?.limits?.['cpu'] ?? resources?.requests?.['cpu']
  if (text === undefined || !isQuantity(text)) return 1
  return Math.max(1, Math.ceil(Number(quantityToMilli(parseQuantity(text))) / 1000))
}
