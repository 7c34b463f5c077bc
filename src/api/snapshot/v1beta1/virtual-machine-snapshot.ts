import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration, Quantity, Time } from '#api/scalars.ts'
import type { SnapshotCondition, SnapshotError } from './condition.ts'

/** Asks that a machine be kept as it is at one moment. */
export interface VirtualMachineSnapshot extends ApiObject {
  /** Requested operation. Immutable. */
  spec: VirtualMachineSnapshotSpec
  /** Observed state. */
  status?: VirtualMachineSnapshotStatus
}

/** Of which machine, and how. */
export interface VirtualMachineSnapshotSpec {
  /** The machine, in the same namespace. */
  source: TypedLocalObjectReference
  /** Policy for the content when the snapshot is deleted: Delete or Retain; Delete when absent. */
  deletionPolicy?: VirtualMachineSnapshotDeletionPolicy
  /** How long taking it may last before it has failed. 5 minutes when absent; 0 is for ever. */
  failureDeadline?: Duration
  /**
   * How the writes of a running guest are held back: Direct or External. Accepted; no disks are
   * taken yet.
   */
  snapshotMode?: string
  /** Space for the writes of a running guest. Accepted; no disks are taken yet. */
  overlayScratchSize?: Quantity
}

/** Policy for the content of a snapshot that is deleted. */
export type VirtualMachineSnapshotDeletionPolicy = 'Delete' | 'Retain'

/** How far a snapshot is. */
export type VirtualMachineSnapshotPhase = 'InProgress' | 'Succeeded' | 'Failed' | 'Deleting' | 'Unknown'

/** Something that is to be known of the machine when the snapshot was taken. */
export type SnapshotIndication = 'Online' | 'NoGuestAgent' | 'GuestAgent' | 'QuiesceTimeout' | 'Paused' | 'PartialSnapshot'

/** Observed state of a snapshot. */
export interface VirtualMachineSnapshotStatus {
  /** UID of the machine. */
  sourceUID?: string
  /** Object that holds what was taken. */
  virtualMachineSnapshotContentName?: string
  /**
   * When the machine was as it is in the snapshot.
   * @nullable
   */
  creationTime?: Time | null
  /** How far it is: InProgress, Succeeded, Failed, Deleting or Unknown. */
  phase?: VirtualMachineSnapshotPhase
  /** Whether it can be restored. */
  readyToUse?: boolean
  /** Last error. */
  error?: SnapshotError
  /**
   * The state, by aspect.
   * @listType atomic
   */
  conditions?: SnapshotCondition[]
  /**
   * Deprecated: see sourceIndications.
   * @listType set
   */
  indications?: SnapshotIndication[]
  /**
   * Indications about the VM at the time of the snapshot.
   * @listType atomic
   */
  sourceIndications?: SourceIndication[]
  /** Which volumes are in it. */
  snapshotVolumes?: SnapshotVolumesLists
}

/**
 * Something that is to be known of the machine when the snapshot was taken, with a sentence for
 * people.
 */
export interface SourceIndication {
  /** In one word. */
  indication: SnapshotIndication
  /** In a sentence. */
  message: string
}

/** Which volumes of a machine are in a snapshot. */
export interface SnapshotVolumesLists {
  /**
   * These are.
   * @listType set
   */
  includedVolumes?: string[]
  /**
   * These are not.
   * @listType set
   */
  excludedVolumes?: string[]
}
