import type { NUMA, Realtime } from '#api/kubevirt/v1/domain/cpu.ts'
import type { GPU, HostDevice } from '#api/kubevirt/v1/domain/devices.ts'
import type { DiskIOThreads } from '#api/kubevirt/v1/domain/domain.ts'
import type { Hugepages } from '#api/kubevirt/v1/domain/memory.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Quantity, UInt32 } from '#api/scalars.ts'

/** Instance type for the VMs of one namespace: CPUs, memory and other resources. */
export interface VirtualMachineInstancetype extends ApiObject {
  /** CPUs, memory and other resources. */
  spec: VirtualMachineInstancetypeSpec
}

/** Instance type for the VMs of all namespaces: CPUs, memory and other resources. */
export interface VirtualMachineClusterInstancetype extends ApiObject {
  /** CPUs, memory and other resources. */
  spec: VirtualMachineInstancetypeSpec
}

/**
 * Resources that an instance type gives to a VMI. A VM that sets one of these fields too is in
 * conflict with the instance type.
 */
export interface VirtualMachineInstancetypeSpec {
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Name of the scheduler that places the VMI. */
  schedulerName?: string
  /** Virtual CPUs. */
  cpu: CPUInstancetype
  /** Memory. */
  memory: MemoryInstancetype
  /**
   * GPUs of the node that are passed through to the guest.
   * @listType atomic
   * @notActedOn
   */
  gpus?: GPU[]
  /**
   * Host devices of the node that are passed through to the guest.
   * @listType atomic
   * @notActedOn
   */
  hostDevices?: HostDevice[]
  /** Policy for the sharing of I/O threads between disks: shared, auto or supplementalPool. */
  ioThreadsPolicy?: string
  /** Settings of I/O threads. */
  ioThreads?: DiskIOThreads
  /** Annotations of the VMI. */
  annotations?: Record<string, string>
}

/** Virtual CPUs of an instance type. */
export interface CPUInstancetype {
  /** Number of virtual CPUs. */
  guest: UInt32
  /** CPU model: `host-model`, `host-passthrough` or the name of a model. */
  model?: string
  /**
   * Pins each virtual CPU to a dedicated physical CPU.
   * @notActedOn
   */
  dedicatedCPUPlacement?: boolean
  /**
   * NUMA topology of the guest.
   * @notActedOn
   */
  numa?: NUMA
  /**
   * Pins the emulator thread to a dedicated physical CPU.
   * @notActedOn
   */
  isolateEmulatorThread?: boolean
  /**
   * Tuning for low latency.
   * @notActedOn
   */
  realtime?: Realtime
  /** Maximum number of sockets after CPU hotplug. */
  maxSockets?: UInt32
}

/** Memory of an instance type. */
export interface MemoryInstancetype {
  /** Size of the guest's memory. */
  guest: Quantity
  /** Huge pages as backing of the guest's memory. */
  hugepages?: Hugepages
  /**
   * Percentage of the guest's memory that is left out of the memory request. Default 0.
   * @minimum 0
   * @maximum 100
   */
  overcommitPercent?: Int32
  /** Maximum size of the guest's memory after memory hotplug. */
  maxGuest?: Quantity
}
