/**
 * What a guest has used since its QEMU was started on its node, and what it has now: the answer of
 * `virtualmachineinstances/usage`. Rates are differences of two answers. An addition to KubeVirt.
 */
export interface VirtualMachineInstanceUsage {
  readonly apiVersion: 'subresources.kubevirt.io/v1'
  readonly kind: 'VirtualMachineInstanceUsage'
  /** Time of the reading, by the clock of the node, with milliseconds. */
  readonly timestamp: string
  /** Identifies the QEMU: the counters of another one begin at zero. */
  readonly run: string
  readonly cpuSeconds: number
  readonly memory: GuestMemoryUsage
  readonly disks: readonly DiskUsage[]
  /** Cards of the pod network and of networks beside it. */
  readonly interfaces: readonly InterfaceUsage[]
}

/** Memory of a guest in bytes. */
export interface GuestMemoryUsage {
  /** Memory of the node that its QEMU has in use. */
  readonly residentBytes: number
  /** Memory that it was given. */
  readonly domainBytes: number
  /** Memory that the system in it cannot give to programs. Absent until its balloon says it. */
  readonly guestUsedBytes?: number
}

/** Counters of a disk. */
export interface DiskUsage {
  readonly name: string
  readonly reads: number
  readonly writes: number
  readonly readBytes: number
  readonly writtenBytes: number
}

/** Counters of a card. */
export interface InterfaceUsage {
  readonly name: string
  readonly receivedBytes: number
  readonly transmittedBytes: number
}
