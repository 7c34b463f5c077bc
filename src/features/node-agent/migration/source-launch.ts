import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { Hotplugged } from '#qemu/index.ts'
import type { SourceHardware } from '../hardware/check-arrival.ts'

/**
 * Launch of the guest on the source, with hotplugged devices. The target starts QEMU from it and
 * never renders the VMI anew.
 */
export interface SourceLaunch {
  readonly record: Pick<LaunchRecord, 'gracePeriodSeconds' | 'startPaused' | 'arguments' | 'domain' | 'leftOut'>
  /** Version of the source's QEMU. */
  readonly qemuVersion: string
  readonly cpuFeatures: readonly string[]
  readonly hotplugged: Hotplugged
  /** Recorded hardware, if any. */
  readonly hardware?: SourceHardware
  /** Parallel memory streams that the source offers. Default 1. */
  readonly channels?: number
  /** True if the guest ran when the migration started. */
  readonly runs: boolean
}

/** KubeVirt's default. */
const maxChannels = 8

/**
 * Returns the number of parallel streams. A guest with a CPU limit or dedicated CPUs has no CPU
 * time to spare for the sending threads.
 */
export function channelsOf({ domain: { cpu, resources } }: VirtualMachineInstanceSpec): number | undefined {
  const limit = resources?.limits?.['cpu']
  const isLimited = limit !== undefined && parseQuantity(limit).nanos > 0n
  return isLimited || cpu?.dedicatedCpuPlacement === true ? undefined : maxChannels
}

/** Serializes the launch for the VMI's status. */
export function formatSourceLaunch(handed: SourceLaunch): string {
  return JSON.stringify(handed)
}

export function parseSourceLaunch(text: string): SourceLaunch {
  return JSON.parse(text) as SourceLaunch
}

/** Reports whether the guest ran when the migration started. */
export function ranBefore({ sourceState }: VirtualMachineInstanceMigrationState): boolean {
  const text = sourceState?.steadyvm?.launch
  return text === undefined || parseSourceLaunch(text).runs
}
