import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import { dumpPhases } from '#features/vmi/index.ts'

// Phases, reasons and messages are KubeVirt's.

/** Status of a volume from the moment that the file of the dump has a name. */
export function namedStatus(status: VolumeStatus, targetFileName: string): VolumeStatus {
  return {
    ...status,
    phase: dumpPhases.inProgress,
    reason: 'VolumeMountedToPod',
    message: `Memory dump Volume ${status.name} is attached, getting memory dump`,
    memoryDumpVolume: { ...status.memoryDumpVolume, targetFileName },
  }
}

/** Status while QEMU writes. `startTimestamp` stays what it was. */
export function begunStatus(status: VolumeStatus, startTimestamp: string): VolumeStatus {
  return { ...status, memoryDumpVolume: { startTimestamp, ...status.memoryDumpVolume } }
}

/** Status of a complete dump. */
export function completeStatus(status: VolumeStatus, endTimestamp: string): VolumeStatus {
  return {
    ...status,
    phase: dumpPhases.completed,
    reason: 'VolumeReady',
    message: `Memory dump to Volume ${status.name} has completed successfully`,
    memoryDumpVolume: { ...status.memoryDumpVolume, endTimestamp },
  }
}

/** Status of a dump that has failed. */
export function failedStatus(status: VolumeStatus, why: string, endTimestamp: string): VolumeStatus {
  return {
    ...status,
    phase: dumpPhases.failed,
    message: `Memory dump to pvc ${status.name} failed: Domain memory dump failed: ${why}`,
    memoryDumpVolume: { ...status.memoryDumpVolume, endTimestamp },
  }
}
