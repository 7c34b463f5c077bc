import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { Hotplugged } from '#qemu/index.ts'
import type { SourceHardware } from '../hardware/check-arrival.ts'

/**
 * What a source tells its target: the guest as it was launched, and what has become of it since.
 * Never what would be made of it today.
 */
export interface SourceLaunch {
  readonly record: Pick<LaunchRecord, 'gracePeriodSeconds' | 'startPaused' | 'arguments' | 'domain' | 'leftOut'>
  /** Version of the QEMU that the guest runs in. */
  readonly qemuVersion: string
  readonly cpuFeatures: readonly string[]
  readonly hotplugged: Hotplugged
  /** What the guest sees of its hardware; absent when nobody has looked yet. */
  readonly hardware?: SourceHardware
  /** Streams that its memory may take at a time; absent: one. */
  readonly channels?: number
  /** Whether the guest ran when it was decided to move it. */
  readonly runs: boolean
}

/** KubeVirt's number. */
const mostChannels = 8

/**
 * How many streams a guest's memory takes: each is a thread that sends, for which a guest with a
 * limit of its processors has none to spare.
 */
export function channelsOf({ domain: { cpu, resources } }: VirtualMachineInstanceSpec): number | undefined {
  const limit = resources?.limits?.['cpu']
  const isLimited = limit !== undefined && parseQuantity(limit).nanos > 0n
  return isLimited || cpu?.dedicatedCpuPlacement === true ? undefined : mostChannels
}

/** As text that is carried in the VMI's status. */
export function formatSourceLaunch(handed: SourceLaunch): string {
  return JSON.stringify(handed)
}

/** The text's content. */
export function parseSourceLaunch(text: string): SourceLaunch {
  return JSON.parse(text) as SourceLaunch
}

/** Whether the guest ran when it was decided to move it. */
export function ranBefore({ sourceState }: VirtualMachineInstanceMigrationState): boolean {
  const text = sourceState?.steadyvm?.launch
  return text === undefined || parseSourceLaunch(text).runs
}
