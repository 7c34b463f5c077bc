import {
  addQuantities,
  canonicalQuantity,
  formatQuantity,
  parseQuantity,
  quantityFromBytes,
  quantityToBytes,
  type Quantity,
} from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'

const mebibyte = 1024n * 1024n
/**
 * Bytes that QEMU needs beside guest memory, without vCPUs and devices. No helper process stays
 * resident.
 */
const baseOverhead = 50n * mebibyte
const overheadPerVcpu = 8n * mebibyte
const videoOverhead = 32n * mebibyte
/** Share of guest memory for page tables: 1/512. */
const pageTableShare = 512n
/** Cluster configuration that a launcher's requests depend on. */
export type LauncherConfig = Pick<ClusterConfig, 'cpuRequest' | 'cpuAllocationRatio' | 'memoryOvercommitPercent'>

/** Number of vCPUs. */
function vcpusOf(spec: VirtualMachineInstanceSpec): number {
  const { sockets = 1, cores = 1, threads = 1 } = spec.domain.cpu ?? {}
  return sockets * cores * threads
}

/** Returns the bytes that QEMU needs beside the guest's memory. */
export function memoryOverhead(spec: VirtualMachineInstanceSpec): bigint {
  const guest = parseQuantity(spec.domain.memory?.guest ?? '0').nanos / 1_000_000_000n
  const video = spec.domain.devices.autoattachGraphicsDevice === false ? 0n : videoOverhead
  return baseOverhead + guest / pageTableShare + BigInt(vcpusOf(spec)) * overheadPerVcpu + video
}

/**
 * Returns the launcher's requests. CPU: the guest's own request, else the cluster's default, else a
 * share per vCPU, or whole CPUs when they are dedicated. Memory: the guest's own request, else its
 * limit, else its memory, or a share of it where the cluster overcommits memory; plus overhead.
 */
export function launcherRequests(spec: VirtualMachineInstanceSpec, config: LauncherConfig): Record<string, string> {
  const { resources, cpu } = spec.domain
  const overhead = resources?.overcommitGuestOverhead === true ? 0n : memoryOverhead(spec)
  const dedicated = cpu?.dedicatedCpuPlacement === true
  const share = dedicated ? 1000 : 1000 / config.cpuAllocationRatio
  const asked = resources?.requests?.['cpu'] ?? (dedicated ? undefined : config.cpuRequest)
  return {
    cpu: String(asked ?? `${Math.ceil(vcpusOf(spec) * share)}m`),
    memory: formatQuantity(addQuantities(requestedMemory(spec, config), quantityFromBytes(overhead))),
  }
}

function requestedMemory({ domain }: VirtualMachineInstanceSpec, { memoryOvercommitPercent: percent }: LauncherConfig): Quantity {
  const asked = domain.resources?.requests?.['memory'] ?? domain.resources?.limits?.['memory']
  if (asked !== undefined) return parseQuantity(asked)
  const guest = parseQuantity(domain.memory?.guest ?? '0')
  return percent === 100 ? guest : quantityFromBytes((quantityToBytes(guest) * 100n) / BigInt(percent), guest.format)
}

/**
 * Returns the launcher's limits: those of the guest, with memory for QEMU itself, as in KubeVirt.
 */
export function launcherLimits(spec: VirtualMachineInstanceSpec): Record<string, string | number> {
  const { memory, ...limits } = spec.domain.resources?.limits ?? {}
  if (memory === undefined) return limits
  return { ...limits, memory: formatQuantity(addQuantities(parseQuantity(memory), quantityFromBytes(memoryOverhead(spec)))) }
}

/** Returns the part of a guest's size that can change while it runs, in one notation. */
export function guestSizeOf(spec: VirtualMachineInstanceSpec): string {
  const vcpus = vcpusOf(spec)
  return `${vcpus === 1 ? '1 CPU' : `${vcpus} CPUs`}, ${canonicalQuantity(spec.domain.memory?.guest ?? '0')}`
}
