import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launchedDisks } from './launched-disks.ts'

/** I/O threads, and their assignment to disks. */
export interface IoThreads {
  readonly names: readonly string[]
  /** Thread by disk name. A disk without one uses QEMU's main thread. */
  readonly byDisk: ReadonlyMap<string, string>
}

/** Upper limit of policy `auto`, as in KubeVirt. */
const autoThreadsPerVcpu = 2

/**
 * Assigns I/O threads to virtio disks: dedicated ones, and a pool for the others. The pool has one
 * thread with policy `shared`, up to two per vCPU with `auto`, and the requested number with
 * `supplementalPool`.
 */
export function ioThreadsOf(spec: VirtualMachineInstanceSpec, vcpus: number): IoThreads {
  const { ioThreadsPolicy: policy, ioThreads } = spec.domain
  // A disk that is plugged in later brings its own thread, or shares one.
  const disks = launchedDisks(spec).filter(({ disk, cdrom, lun }) => (disk ?? cdrom ?? lun)?.bus === 'virtio')
  const isPoolOnly = policy === 'supplementalPool'
  const own = isPoolOnly ? [] : disks.filter((disk) => disk.dedicatedIOThread === true).map(({ name }) => name)
  const others = policy === undefined ? [] : disks.map(({ name }) => name).filter((name) => !own.includes(name))
  const size = isPoolOnly
    ? (ioThreads?.supplementalPoolThreadCount ?? 1)
    : policy === 'auto'
      ? Math.max(1, Math.min(others.length, autoThreadsPerVcpu * vcpus - own.length))
      : 1
  // The dot cannot clash with a disk's name.
  const pool = others.length === 0 ? [] : Array.from({ length: Math.max(1, size) }, (_, index) => `pool.${index}`)
  const pooled = others.map((name, index) => [name, pool[index % pool.length] ?? ''] as const)
  return { names: [...own, ...pool], byDisk: new Map([...own.map((name) => [name, name] as const), ...pooled]) }
}
