import type { HardwareChangeReason, HardwareRecordEntry } from '#api/steadyvm/v1alpha1/hardware-record.ts'

/** Node, release, QEMU version and revision of a launch. */
export type Origin = Pick<HardwareRecordEntry, 'qemu' | 'release' | 'node' | 'specification'>

/**
 * Returns why the hardware changed. Changes by the owner rank first, since the owner can revert
 * them.
 */
export function reasonOf(before: Origin | undefined, after: Origin): HardwareChangeReason {
  if (before === undefined) return 'FirstStart'
  const isSpecified = before.specification !== after.specification
  const isReleased = before.qemu !== after.qemu
  if (isSpecified) return isReleased ? 'SpecificationAndRelease' : 'Specification'
  if (isReleased) return 'Release'
  return before.node === after.node ? 'Cluster' : 'Host'
}
