import type { UInt32 } from '#api/scalars.ts'
import type { Clock } from './clock.ts'
import type { CPU } from './cpu.ts'
import type { Devices } from './devices.ts'
import type { Features } from './features.ts'
import type { Chassis, Firmware, Machine } from './firmware.ts'
import type { LaunchSecurity } from './launch-security.ts'
import type { Memory } from './memory.ts'
import type { ResourceRequirements } from './resources.ts'

/** Virtual hardware of a guest. */
export interface DomainSpec {
  /** Compute resources of the VMI. */
  resources?: ResourceRequirements
  /** Virtual CPUs. */
  cpu?: CPU
  /** Memory of the guest. */
  memory?: Memory
  /** Machine type. */
  machine?: Machine
  /** Firmware. */
  firmware?: Firmware
  /** Clock and timers. */
  clock?: Clock
  /** Features of the emulated machine. */
  features?: Features
  /**
   * Devices of the guest. Admission adds an empty object when the field is absent.
   * @optional
   */
  devices: Devices
  /**
   * Policy for the sharing of I/O threads between disks: shared, auto or supplementalPool. Disks
   * have no dedicated I/O threads when absent.
   */
  ioThreadsPolicy?: string
  /** Settings of I/O threads. */
  ioThreads?: DiskIOThreads
  /** Chassis data of the guest in SMBIOS. */
  chassis?: Chassis
  /** Encryption of the guest's memory against access by the node. */
  launchSecurity?: LaunchSecurity
  /**
   * Policy for a reboot from inside of the guest: Reboot or Terminate; Reboot when absent.
   * @enum Reboot,Terminate
   * @notActedOn
   */
  rebootPolicy?: string
}

/** Settings of I/O threads. */
export interface DiskIOThreads {
  /** Number of threads in the pool. */
  supplementalPoolThreadCount?: UInt32
}
