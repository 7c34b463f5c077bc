import type { LaunchRecord } from '#features/launcher/index.ts'
import type { Hotplugged } from '#qemu/index.ts'
import type { HandedHardware } from '../hardware/check-arrival.ts'

/** What a source tells its target: the guest as it was launched, and what has become of it since. Never what would be made of it today. */
export interface HandedLaunch {
  readonly record: Pick<LaunchRecord, 'gracePeriodSeconds' | 'startPaused' | 'arguments' | 'domain' | 'leftOut'>
  /** Version of the QEMU that the guest runs in. */
  readonly qemuVersion: string
  readonly cpuFeatures: readonly string[]
  readonly hotplugged: Hotplugged
  /** What the guest sees of its hardware; absent when nobody has looked yet. */
  readonly hardware?: HandedHardware
  /** Whether the guest ran when it was decided to move it. */
  readonly runs: boolean
}

/** As text that is carried in the VMI's status. */
export function writeHandedLaunch(handed: HandedLaunch): string {
  return JSON.stringify(handed)
}

/** The text's content. */
export function readHandedLaunch(text: string): HandedLaunch {
  return JSON.parse(text) as HandedLaunch
}
