import type { UInt32 } from '#api/scalars.ts'

/** Virtual CPUs of a guest. */
export interface CPU {
  /** Number of cores for each socket. */
  cores?: UInt32
  /** Number of sockets. */
  sockets?: UInt32
  /** Maximum number of sockets after CPU hotplug. */
  maxSockets?: UInt32
  /** Number of threads for each core. */
  threads?: UInt32
  /** CPU model: `host-model`, `host-passthrough` or the name of a model. */
  model?: string
  /** CPU features to add to the model or to remove from the model. */
  features?: CPUFeature[]
  /** Pins each virtual CPU to a dedicated physical CPU. */
  dedicatedCpuPlacement?: boolean
  /** NUMA topology of the guest. */
  numa?: NUMA
  /** Pins the emulator thread to a dedicated physical CPU. */
  isolateEmulatorThread?: boolean
  /** Tuning for low latency. */
  realtime?: Realtime
}

/** CPU feature. */
export interface CPUFeature {
  /** Name of the CPU feature. */
  name: string
  /** Policy for the feature: force, require, optional, disable or forbid; require when absent. */
  policy?: string
}

/** NUMA topology of a guest. */
export interface NUMA {
  /** Mirrors the NUMA topology of the physical CPUs that the guest is pinned to. */
  guestMappingPassthrough?: NUMAGuestMappingPassthrough
}

/** NUMA passthrough. No fields; the presence of the object enables the passthrough. */
export interface NUMAGuestMappingPassthrough {}

/** Tuning for low latency. */
export interface Realtime {
  /** Set of virtual CPUs that are tuned, such as `0-3,^1`. */
  mask?: string
}

/** Current CPU topology of a guest. */
export interface CPUTopology {
  /** Number of cores for each socket. */
  cores?: UInt32
  /** Number of sockets. */
  sockets?: UInt32
  /** Number of threads for each core. */
  threads?: UInt32
}
