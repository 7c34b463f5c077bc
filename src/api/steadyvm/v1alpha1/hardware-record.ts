import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Time } from '#api/scalars.ts'

/**
 * Hardware that the guest of a VM sees, and its history. It has the name of the VM, and is deleted
 * with it.
 */
export interface HardwareRecord extends ApiObject {
  /** How hardware is written down. Records of different versions cannot be compared. */
  version: Int32
  /** SHA-256 of the facts: the same for the same hardware, in each release of QEMU. */
  fingerprint: string
  /**
   * Digest of what the guest was launched with. A guest that is launched with the same has the same
   * hardware.
   */
  launch: string
  /** Facts that the guest sees, by names such as `device dev-root: serial`. */
  facts: Record<string, string>
  /**
   * How the hardware came to be what it is, newest first. The first is the hardware of today. The
   * oldest are forgotten.
   * @listType atomic
   */
  history: HardwareRecordEntry[]
}

/** Hardware that a guest has had since some moment. */
export interface HardwareRecordEntry {
  /** SHA-256 of its facts. */
  fingerprint: string
  /** When the guest was first seen with it. */
  since: Time
  /** Why it is another than before, in one word. */
  reason: HardwareChangeReason
  /** Version of the QEMU that it was first seen in. */
  qemu: string
  /** Image of the launcher that it was first seen in. */
  release?: string
  /** Node that it was first seen on. */
  node?: string
  /** Revision that holds what the machine was started from. */
  specification?: string
  /**
   * Differences from the previous hardware.
   * @listType atomic
   */
  changes?: HardwareFactChange[]
}

/**
 * Why hardware has changed: another specification of the machine, another release of QEMU, both, or
 * another host. `Cluster`: by none of these, but by what the cluster's configuration leaves to
 * guests. `Plugged`: the guest was given processors or memory while it ran.
 */
export type HardwareChangeReason = 'FirstStart' | 'Plugged' | 'Specification' | 'Release' | 'SpecificationAndRelease' | 'Host' | 'Cluster'

/** A fact that is not what it was. */
export interface HardwareFactChange {
  /** Name of the fact. */
  name: string
  /** Previous value; absent when there was none. */
  before?: string
  /** New value; absent when it was removed. */
  after?: string
}
