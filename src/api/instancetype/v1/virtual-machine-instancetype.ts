import type { NUMA, Realtime } from '#api/kubevirt/v1/domain/cpu.ts'
import type { GPU, HostDevice } from '#api/kubevirt/v1/domain/devices.ts'
import type { DiskIOThreads } from '#api/kubevirt/v1/domain/domain.ts'
import type { Hugepages } from '#api/kubevirt/v1/domain/memory.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Quantity, UInt32 } from '#api/scalars.ts'

/** Sizes guests of one namespace. */
export interface VirtualMachineInstancetype extends ApiObject {
  /** The sizes. */
  spec: VirtualMachineInstancetypeSpec
}

/** Sizes guests of all namespaces. */
export interface VirtualMachineClusterInstancetype extends ApiObject {
  /** The sizes. */
  spec: VirtualMachineInstancetypeSpec
}

/**
 * Hardware that an instance type gives to a guest. A VM that sets one of these fields conflicts.
 */
export interface VirtualMachineInstancetypeSpec {
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Name of the scheduler that places the guest. */
  schedulerName?: string
  /** Virtual processors. */
  cpu: CPUInstancetype
  /** Memory. */
  memory: MemoryInstancetype
  /**
   * Graphics processors of the node.
   * @listType atomic
   * @notActedOn
   */
  gpus?: GPU[]
  /**
   * Devices of the node.
   * @listType atomic
   * @notActedOn
   */
  hostDevices?: HostDevice[]
  /** How disks share I/O threads: shared, auto or supplementalPool. */
  ioThreadsPolicy?: string
  /** Settings of I/O threads. */
  ioThreads?: DiskIOThreads
  /** Annotations of the guest. */
  annotations?: Record<string, string>
}

/** Virtual processors that an instance type gives. */
export interface CPUInstancetype {
  /** How many. */
  guest: UInt32
  /** Model: `host-model`, `host-passthrough` or the name of a model. */
  model?: string
  /**
   * Gives every virtual processor a physical one of its own.
   * @notActedOn
   */
  dedicatedCPUPlacement?: boolean
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
  /** Most sockets that can be plugged in while the guest runs. */
  maxSockets?: UInt32
}

/** Memory that an instance type gives. */
export interface MemoryInstancetype {
  /** How much. */
  guest: Quantity
  /** Backs it with huge pages. */
  hugepages?: Hugepages
  /**
   * Percentage that is left out of the request.
   * @default 0
   * @minimum 0
   * @maximum 100
   */
  overcommitPercent?: Int32
  /** Most that can be plugged in while the guest runs. */
  maxGuest?: Quantity
}
