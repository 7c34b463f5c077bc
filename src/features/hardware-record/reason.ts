import type { HardwareChangeReason, HardwareRecordEntry } from '#api/steadyvm/v1alpha1/hardware-record.ts'

/** Where and from what a guest was started. */
export type Origin = Pick<HardwareRecordEntry, 'qemu' | 'release' | 'node' | 'specification'>

/**
 * Why hardware is another than before. What the owner has changed comes first, since the owner can
 * change it back.
 */
export function reasonOf(before: Origin | undefined, after: Origin): HardwareChangeReason {
  if (before === undefined) return 'FirstStart'
  const isSpecified = before.specification !== after.specification
  const isReleased = before.qemu !== after.qemu
  if (isSpecified) return isReleased ? 'SpecificationAndRelease' : 'Specification'
  if (isReleased) return 'Release'
  return before.node === after.node ? 'Cluster' : 'Host'
}
