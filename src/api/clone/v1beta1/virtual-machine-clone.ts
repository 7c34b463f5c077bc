import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { SnapshotCondition } from '#api/snapshot/v1beta1/condition.ts'

/** Request for a copy of a VM. */
export interface VirtualMachineClone extends ApiObject {
  /** Requested operation. Immutable. */
  spec: VirtualMachineCloneSpec
  /** Observed state. */
  status?: VirtualMachineCloneStatus
}

/** Source and target of a clone, and the differences between them. */
export interface VirtualMachineCloneSpec {
  /**
   * Source of the clone: a VirtualMachine of kubevirt.io or a VirtualMachineSnapshot of
   * snapshot.kubevirt.io, in the same namespace.
   */
  source: TypedLocalObjectReference
  /**
   * VirtualMachine to create. When absent, its name is generated and reported in status.targetName.
   */
  target?: TypedLocalObjectReference
  /**
   * Filters of the annotations to copy: regular expressions for keys, or `*` for all. Keys that
   * match an expression with a leading `!` are excluded, regardless of the other filters. All
   * annotations are copied when absent.
   * @listType atomic
   */
  annotationFilters?: string[]
  /**
   * Filters of the labels to copy. See annotationFilters.
   * @listType atomic
   */
  labelFilters?: string[]
  /** Filters of the labels and annotations of the VMI template. */
  template?: VirtualMachineCloneTemplateFilters
  /** MAC addresses by interface name. The addresses of all other interfaces are generated. */
  newMacAddresses?: Record<string, string>
  /** Serial number of the new VM in SMBIOS. Generated when absent. */
  newSMBiosSerial?: string
  /**
   * JSON patches for the new VM. Each item is one operation as JSON text.
   * @listType atomic
   */
  patches?: string[]
  /**
   * Policy for the names of cloned volumes: RandomizeNames (default) or PrefixTargetName.
   * @enum RandomizeNames,PrefixTargetName
   */
  volumeNamePolicy?: VolumeNamePolicy
}

/** Filters of the labels and annotations of the VMI template. */
export interface VirtualMachineCloneTemplateFilters {
  /**
   * Filters of the annotations to copy. See the annotationFilters of the clone.
   * @listType atomic
   */
  annotationFilters?: string[]
  /**
   * Filters of the labels to copy. See the annotationFilters of the clone.
   * @listType atomic
   */
  labelFilters?: string[]
}

/** Phase of a clone. */
export type VirtualMachineClonePhase = 'SnapshotInProgress' | 'CreatingTargetVM' | 'RestoreInProgress' | 'Succeeded' | 'Failed' | 'Unknown'

/** Observed state of a clone. */
export interface VirtualMachineCloneStatus {
  /**
   * Time at which the clone was completed.
   * @nullable
   */
  creationTime?: Time | null
  /**
   * Phase of the clone: SnapshotInProgress, RestoreInProgress, CreatingTargetVM, Succeeded, Failed
   * or Unknown.
   */
  phase?: VirtualMachineClonePhase
  /**
   * Conditions of the clone.
   * @listType atomic
   */
  conditions?: SnapshotCondition[]
  /**
   * Name of the intermediate VirtualMachineSnapshot.
   * @nullable
   */
  snapshotName?: string | null
  /**
   * Name of the intermediate VirtualMachineRestore.
   * @nullable
   */
  restoreName?: string | null
  /**
   * Name of the new VM.
   * @nullable
   */
  targetName?: string | null
}

/** Policy for the names of the volumes of a clone. */
export type VolumeNamePolicy = 'RandomizeNames' | 'PrefixTargetName'
