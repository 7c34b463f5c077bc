import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Time } from '#api/scalars.ts'

/**
 * Hardware that is visible to the guest of a VM, and its history. A HardwareRecord has the name of
 * the VM and is deleted with the VM.
 */
export interface HardwareRecord extends ApiObject {
  /** Version of the format of the facts. Records of different versions cannot be compared. */
  version: Int32
  /** SHA-256 of the facts. The same hardware has the same fingerprint in each release of QEMU. */
  fingerprint: string
  /**
   * Digest of the launch arguments of the guest. Launches with the same digest have the same
   * hardware.
   */
  launch: string
  /** Facts about the hardware visible to the guest, by names such as `device dev-root: serial`. */
  facts: Record<string, string>
  /**
   * History of the hardware, newest entry first. The first entry is the current hardware. The
   * oldest entries are removed.
   * @listType atomic
   */
  history: HardwareRecordEntry[]
}

/** Hardware that a guest had from some point in time. */
export interface HardwareRecordEntry {
  /** SHA-256 of the facts. */
  fingerprint: string
  /** Time at which the guest was first observed with this hardware. */
  since: Time
  /** Reason for the difference from the previous hardware, as one word in CamelCase. */
  reason: HardwareChangeReason
  /** Version of QEMU in which the hardware was first observed. */
  qemu: string
  /** Image of the launcher in which the hardware was first observed. */
  release?: string
  /** Name of the node on which the hardware was first observed. */
  node?: string
  /** Name of the ControllerRevision with the spec that the VM was started from. */
  specification?: string
  /**
   * Differences from the previous hardware.
   * @listType atomic
   */
  changes?: HardwareFactChange[]
}

/**
 * Reason for a change of hardware: another specification of the VM, another release of QEMU, both,
 * or another host. `Cluster`: none of these, but the cluster configuration of values that VMs leave
 * unset. `Plugged`: CPUs or memory were hotplugged into the running guest.
 */
export type HardwareChangeReason = 'FirstStart' | 'Plugged' | 'Specification' | 'Release' | 'SpecificationAndRelease' | 'Host' | 'Cluster'

/** Fact whose value differs from that of the previous hardware. */
export interface HardwareFactChange {
  /** Name of the fact. */
  name: string
  /** Previous value; absent when the fact is new. */
  before?: string
  /** New value; absent when the fact was removed. */
  after?: string
}
