import type { UInt32 } from '#api/scalars.ts'

/** Virtual processors of a guest. */
export interface CPU {
  /** Cores of each socket. */
  cores?: UInt32
  /** Sockets. */
  sockets?: UInt32
  /** Most sockets that can be plugged in while the guest runs. */
  maxSockets?: UInt32
  /** Threads of each core. */
  threads?: UInt32
  /** Model: `host-model`, `host-passthrough` or the name of a model. */
  model?: string
  /** Features to add to the model or take away from it. */
  features?: CPUFeature[]
  /**
   * Gives every virtual processor a physical one of its own.
   * @notActedOn
   */
  dedicatedCpuPlacement?: boolean
  /**
   * NUMA topology of the guest.
   * @notActedOn
   */
  numa?: NUMA
  /**
   * Gives the emulator a physical processor of its own.
   * @notActedOn
   */
  isolateEmulatorThread?: boolean
  /**
   * Tunes for low latency.
   * @notActedOn
   */
  realtime?: Realtime
}

/** A feature of a processor. */
export interface CPUFeature {
  /** Name of the feature. */
  name: string
  /** force, require, optional, disable or forbid; require when absent. */
  policy?: string
}

/** NUMA topology of a guest. */
export interface NUMA {
  /** Mirrors the topology of the physical processors that the guest is pinned to. */
  guestMappingPassthrough?: NUMAGuestMappingPassthrough
}

/** No settings: presence switches it on. */
export interface NUMAGuestMappingPassthrough {}

/** Tuning for low latency. */
export interface Realtime {
  /** Virtual processors that it is for: `0-3,^1`. */
  mask?: string
}

/** Sockets, cores and threads that are in force. */
export interface CPUTopology {
  /** Cores of each socket. */
  cores?: UInt32
  /** Sockets. */
  sockets?: UInt32
  /** Threads of each core. */
  threads?: UInt32
}
