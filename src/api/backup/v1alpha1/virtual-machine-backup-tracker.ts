import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { BackupVolumeInfo } from './virtual-machine-backup.ts'

/** Checkpoints of a VM, to which incremental backups refer. */
export interface VirtualMachineBackupTracker extends ApiObject {
  /** The VM. */
  spec: VirtualMachineBackupTrackerSpec
  /** Observed checkpoints. */
  status?: VirtualMachineBackupTrackerStatus
}

/**
 * VM of a tracker.
 * @rule self == oldSelf; spec is immutable after creation
 */
export interface VirtualMachineBackupTrackerSpec {
  /**
   * The VM.
   * @rule has(self.apiGroup) && self.apiGroup == 'kubevirt.io'; apiGroup must be kubevirt.io
   * @rule self.kind == 'VirtualMachine'; kind must be VirtualMachine
   * @rule self.name != ''; name is required
   */
  source: TypedLocalObjectReference
}

/** Observed checkpoints of a VM. */
export interface VirtualMachineBackupTrackerStatus {
  /** Newest checkpoint. */
  latestCheckpoint?: BackupCheckpoint
  /** True if QEMU does not know the checkpoint any more. */
  checkpointRedefinitionRequired?: boolean
}

/** Checkpoint of a VM. */
export interface BackupCheckpoint {
  /** Name of the checkpoint. */
  name?: string
  /** Time of the checkpoint. */
  creationTime?: Time
  /**
   * Volumes of the checkpoint.
   * @listType atomic
   */
  volumes?: BackupVolumeInfo[]
}
