import type { UInt32 } from '#api/scalars.ts'
import type { Clock } from './clock.ts'
import type { CPU } from './cpu.ts'
import type { Devices } from './devices.ts'
import type { Features } from './features.ts'
import type { Chassis, Firmware, Machine } from './firmware.ts'
import type { LaunchSecurity } from './launch-security.ts'
import type { Memory } from './memory.ts'
import type { ResourceRequirements } from './resources.ts'

/** The hardware of a guest. */
export interface DomainSpec {
  /** Compute resources. */
  resources?: ResourceRequirements
  /** Virtual processors. */
  cpu?: CPU
  /** Memory. */
  memory?: Memory
  /** Type of the machine. */
  machine?: Machine
  /** Firmware. */
  firmware?: Firmware
  /** Clock and timers. */
  clock?: Clock
  /** Features of the machine. */
  features?: Features
  /**
   * Devices. Admission adds an empty one when it is missing.
   * @optional
   */
  devices: Devices
  /** How disks share I/O threads: shared, auto or supplementalPool; no such threads when absent. */
  ioThreadsPolicy?: string
  /** Settings of I/O threads. */
  ioThreads?: DiskIOThreads
  /** SMBIOS chassis data of the guest. */
  chassis?: Chassis
  /**
   * Protects the guest's memory from the node.
   * @notActedOn
   */
  launchSecurity?: LaunchSecurity
  /**
   * Policy when the guest restarts itself: Reboot or Terminate; Reboot when absent.
   * @enum Reboot,Terminate
   * @notActedOn
   */
  rebootPolicy?: string
}

/** Settings of I/O threads. */
export interface DiskIOThreads {
  /** How many threads the pool has. */
  supplementalPoolThreadCount?: UInt32
}
