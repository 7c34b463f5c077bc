import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration, Quantity, Time } from '#api/scalars.ts'
import type { SnapshotCondition, SnapshotError } from './condition.ts'

/** Request to capture the state of a VM at one point in time. */
export interface VirtualMachineSnapshot extends ApiObject {
  /** Requested operation. Immutable. */
  spec: VirtualMachineSnapshotSpec
  /** Observed state. */
  status?: VirtualMachineSnapshotStatus
}

/** Source and settings of a snapshot. */
export interface VirtualMachineSnapshotSpec {
  /** VM to capture, in the same namespace. */
  source: TypedLocalObjectReference
  /** Policy for the content when the snapshot is deleted: Delete or Retain; Delete when absent. */
  deletionPolicy?: VirtualMachineSnapshotDeletionPolicy
  /**
   * Timeout of the snapshot, after which the snapshot fails. 5 minutes when absent; 0 means no
   * timeout.
   */
  failureDeadline?: Duration
  /**
   * Method for the handling of writes of a running guest: Direct or External. Not acted on: copies
   * need no overlays.
   */
  snapshotMode?: string
  /** Scratch space for the writes of a running guest. Not acted on: copies need none. */
  overlayScratchSize?: Quantity
}

/** Policy for the content of a snapshot that is deleted. */
export type VirtualMachineSnapshotDeletionPolicy = 'Delete' | 'Retain'

/** Phase of a snapshot. */
export type VirtualMachineSnapshotPhase = 'InProgress' | 'Succeeded' | 'Failed' | 'Deleting' | 'Unknown'

/** Circumstance of the VM at the time of the snapshot. */
export type SnapshotIndication = 'Online' | 'NoGuestAgent' | 'GuestAgent' | 'QuiesceTimeout' | 'Paused' | 'PartialSnapshot'

/** Observed state of a snapshot. */
export interface VirtualMachineSnapshotStatus {
  /** UID of the source VM. */
  sourceUID?: string
  /** Name of the VirtualMachineSnapshotContent with the captured state. */
  virtualMachineSnapshotContentName?: string
  /**
   * Time at which the state of the VM was captured.
   * @nullable
   */
  creationTime?: Time | null
  /** Phase of the snapshot: InProgress, Succeeded, Failed, Deleting or Unknown. */
  phase?: VirtualMachineSnapshotPhase
  /** True if the snapshot can be restored. */
  readyToUse?: boolean
  /** Last error. */
  error?: SnapshotError
  /**
   * Conditions of the snapshot.
   * @listType atomic
   */
  conditions?: SnapshotCondition[]
  /**
   * Indications about the VM. Deprecated: see sourceIndications.
   * @listType set
   */
  indications?: SnapshotIndication[]
  /**
   * Indications about the VM at the time of the snapshot.
   * @listType atomic
   */
  sourceIndications?: SourceIndication[]
  /** Volumes that are included in the snapshot, and volumes that are not. */
  snapshotVolumes?: SnapshotVolumesLists
}

/** Circumstance of the VM at the time of the snapshot, with a human-readable explanation. */
export interface SourceIndication {
  /** Indication as one word. */
  indication: SnapshotIndication
  /** Human-readable explanation of the indication. */
  message: string
}

/** Volumes of a VM that are included in a snapshot, and volumes that are not. */
export interface SnapshotVolumesLists {
  /**
   * Names of the volumes that are included.
   * @listType set
   */
  includedVolumes?: string[]
  /**
   * Names of the volumes that are not included.
   * @listType set
   */
  excludedVolumes?: string[]
}
