import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { SnapshotCondition } from '#api/snapshot/v1beta1/condition.ts'

/** Asks for a machine like another one. */
export interface VirtualMachineClone extends ApiObject {
  /** Requested operation. Immutable. */
  spec: VirtualMachineCloneSpec
  /** Observed state. */
  status?: VirtualMachineCloneStatus
}

/** Like what, under which name, and what is to be different. */
export interface VirtualMachineCloneSpec {
  /**
   * A VirtualMachine of kubevirt.io or a VirtualMachineSnapshot of snapshot.kubevirt.io, in the
   * same namespace.
   */
  source: TypedLocalObjectReference
  /** The new VirtualMachine. Gets a name of its own when absent; status.targetName tells. */
  target?: TypedLocalObjectReference
  /**
   * Which annotations are taken along: regular expressions of keys, `*` for all, and with `!` in
   * front those that are not, whatever else matches. All when absent.
   * @listType atomic
   */
  annotationFilters?: string[]
  /**
   * Which labels are taken along. See annotationFilters.
   * @listType atomic
   */
  labelFilters?: string[]
  /** The same for the guest's template. */
  template?: VirtualMachineCloneTemplateFilters
  /** MAC addresses by the name of the interface. All others are made anew. */
  newMacAddresses?: Record<string, string>
  /** Serial number of the machine. Made anew when absent. */
  newSMBiosSerial?: string
  /**
   * JSON patches of the new machine, each an operation as text.
   * @listType atomic
   */
  patches?: string[]
  /**
   * Names of cloned volumes: RandomizeNames or PrefixTargetName. Accepted; no disks are cloned yet.
   */
  volumeNamePolicy?: string
}

/** Which labels and annotations of the guest's template are taken along. */
export interface VirtualMachineCloneTemplateFilters {
  /**
   * Which annotations. See the annotationFilters of the clone.
   * @listType atomic
   */
  annotationFilters?: string[]
  /**
   * Which labels. See the annotationFilters of the clone.
   * @listType atomic
   */
  labelFilters?: string[]
}

/** How far a clone is. */
export type VirtualMachineClonePhase = 'SnapshotInProgress' | 'CreatingTargetVM' | 'RestoreInProgress' | 'Succeeded' | 'Failed' | 'Unknown'

/** Observed state of a clone. */
export interface VirtualMachineCloneStatus {
  /**
   * When it was done.
   * @nullable
   */
  creationTime?: Time | null
  /**
   * How far it is: SnapshotInProgress, RestoreInProgress, CreatingTargetVM, Succeeded, Failed or
   * Unknown.
   */
  phase?: VirtualMachineClonePhase
  /**
   * The state, by aspect.
   * @listType atomic
   */
  conditions?: SnapshotCondition[]
  /**
   * The snapshot in between.
   * @nullable
   */
  snapshotName?: string | null
  /**
   * The restore in between.
   * @nullable
   */
  restoreName?: string | null
  /**
   * Name of the new machine.
   * @nullable
   */
  targetName?: string | null
}
