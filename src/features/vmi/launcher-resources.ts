import { addQuantities, formatQuantity, parseQuantity, quantityFromBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

const mebibyte = 1024n * 1024n
/** Bytes of memory that QEMU needs beside the guest's, for a guest without virtual CPUs and devices. No helper process stays resident. */
const baseOverhead = 50n * mebibyte
const overheadPerVcpu = 8n * mebibyte
const videoOverhead = 32n * mebibyte
/** A share of guest memory that page tables take. */
const pageTableShare = 512n
/** Virtual CPUs for each CPU that is requested. */
const cpuAllocationRatio = 10

/** Number of virtual CPUs at start. */
function vcpusOf(spec: VirtualMachineInstanceSpec): number {
  const { sockets = 1, cores = 1, threads = 1 } = spec.domain.cpu ?? {}
  return sockets * cores * threads
}

/** Bytes of memory beside the guest's. */
function memoryOverhead(spec: VirtualMachineInstanceSpec): bigint {
  const guest = parseQuantity(spec.domain.memory?.guest ?? '0').nanos / 1_000_000_000n
  const video = spec.domain.devices.autoattachGraphicsDevice === false ? 0n : videoOverhead
  return baseOverhead + guest / pageTableShare + BigInt(vcpusOf(spec)) * overheadPerVcpu + video
}

/** What the launcher pod requests, for a guest that does not share CPUs: a tenth of a CPU for each virtual one, and its memory with overhead. */
export function launcherRequests(spec: VirtualMachineInstanceSpec): Record<string, string> {
  const { resources, cpu } = spec.domain
  const memory = resources?.requests?.['memory'] ?? spec.domain.memory?.guest ?? '0'
  const overhead = resources?.overcommitGuestOverhead === true ? 0n : memoryOverhead(spec)
  const share = cpu?.dedicatedCpuPlacement === true ? 1000 : 1000 / cpuAllocationRatio
  return {
    cpu: String(resources?.requests?.['cpu'] ?? `${Math.ceil(vcpusOf(spec) * share)}m`),
    memory: formatQuantity(addQuantities(parseQuantity(memory), quantityFromBytes(overhead))),
  }
}
