import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration, Int64, Time } from '#api/scalars.ts'

/** Backup of the disks of a running VM. */
export interface VirtualMachineBackup extends ApiObject {
  /** Source and target. */
  spec: VirtualMachineBackupSpec
  /** Observed state. */
  status?: VirtualMachineBackupStatus
}

/**
 * Source and target of a backup.
 * @rule self == oldSelf; spec is immutable after creation
 * @rule has(self.pvcName) && self.pvcName != ""; pvcName is required
 * @rule !has(self.mode) || self.mode != 'Pull' || \
 * (has(self.tokenSecretRef) && self.tokenSecretRef != "");
 * tokenSecretRef is required when mode is Pull
 */
export interface VirtualMachineBackupSpec {
  /**
   * VM, or tracker of its checkpoints.
   * @rule has(self.apiGroup); apiGroup is required
   * @rule !has(self.apiGroup) || self.apiGroup == 'kubevirt.io' || \
   * self.apiGroup == 'backup.kubevirt.io';
   * apiGroup must be kubevirt.io or backup.kubevirt.io
   * @rule !has(self.apiGroup) || \
   * (self.apiGroup == 'kubevirt.io' && self.kind == 'VirtualMachine') || \
   * (self.apiGroup == 'backup.kubevirt.io' && self.kind == 'VirtualMachineBackupTracker');
   * kind must be VirtualMachine for kubevirt.io or \
   * VirtualMachineBackupTracker for backup.kubevirt.io
   * @rule self.name != ''; name is required
   */
  source: TypedLocalObjectReference
  /** Name of the claim that the backup is written to. */
  pvcName?: string
  /**
   * Transport: the backup is written (Push) or is read by a client (Pull); Push when absent.
   * @enum Push,Pull
   */
  mode?: string
  /** Name of the Secret with the token that clients send. */
  tokenSecretRef?: string
  /** Time after which a backup that is read by a client ends. */
  ttlDuration?: Duration
  /** Copies everything although there is a checkpoint. */
  forceFullBackup?: boolean
  /** Leaves the file systems of the guest as they are. */
  skipQuiesce?: boolean
}

/** Observed state of a backup. */
export interface VirtualMachineBackupStatus {
  /** Type of the backup: Full or Incremental. */
  type?: string
  /** Name of the checkpoint that the backup has created. */
  checkpointName?: string
  /** Certificate of the server, in PEM. */
  endpointCert?: string
  /** UID of the export that clients read from. */
  exportUID?: string
  /**
   * Volumes that the backup includes.
   * @listType atomic
   */
  includedVolumes?: BackupVolumeInfo[]
  /**
   * Conditions of the backup.
   * @listType map key=type
   */
  conditions?: BackupCondition[]
}

/** Volume of a backup. */
export interface BackupVolumeInfo {
  /** Name of the volume. */
  volumeName: string
  /** URL of the data. */
  dataEndpoint?: string
  /** URL of the map of changed blocks. */
  mapEndpoint?: string
}

/** Condition of a backup. */
export interface BackupCondition {
  /**
   * Type of the condition.
   * @maxLength 316
   * @pattern ^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?\
   * (([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$
   */
  type: string
  /**
   * Status of the condition.
   * @enum True,False,Unknown
   */
  status: string
  /**
   * Generation of the object that the condition refers to.
   * @minimum 0
   */
  observedGeneration?: Int64
  /** Time of the last change of the status. */
  lastTransitionTime: Time
  /**
   * Reason for the status, as one word in CamelCase.
   * @minLength 1
   * @maxLength 1024
   * @pattern ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
   */
  reason: string
  /**
   * Human-readable explanation of the status.
   * @maxLength 32768
   */
  message: string
}
