import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** I/O threads of a guest, and which disk is served by which. */
export interface IoThreads {
  readonly names: readonly string[]
  /** By the disk's name. Absent: QEMU's main thread. */
  readonly byDisk: ReadonlyMap<string, string>
}

/** Threads for each virtual CPU that policy `auto` makes at most. */
const autoThreadsPerVcpu = 2

/**
 * Disks with a thread of their own, and a pool for the others: one thread with policy `shared`, up
 * to two for each virtual CPU with `auto`, as many as were asked for with `supplementalPool`. Only
 * virtio disks have such threads.
 */
export function ioThreadsOf(spec: VirtualMachineInstanceSpec, vcpus: number): IoThreads {
  const { ioThreadsPolicy: policy, ioThreads, devices } = spec.domain
  const disks = (devices.disks ?? []).filter(({ disk, cdrom, lun }) => (disk ?? cdrom ?? lun)?.bus === 'virtio')
  const isPoolOnly = policy === 'supplementalPool'
  const own = isPoolOnly ? [] : disks.filter((disk) => disk.dedicatedIOThread === true).map(({ name }) => name)
  const others = policy === undefined ? [] : disks.map(({ name }) => name).filter((name) => !own.includes(name))
  const size = isPoolOnly
    ? (ioThreads?.supplementalPoolThreadCount ?? 1)
    : policy === 'auto'
      ? Math.max(1, Math.min(others.length, autoThreadsPerVcpu * vcpus - own.length))
      : 1
  // A dot cannot be in a disk's name.
  const pool = others.length === 0 ? [] : Array.from({ length: Math.max(1, size) }, (_, index) => `pool.${index}`)
  const pooled = others.map((name, index) => [name, pool[index % pool.length] ?? ''] as const)
  return { names: [...own, ...pool], byDisk: new Map([...own.map((name) => [name, name] as const), ...pooled]) }
}
