import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Quantity, Time } from '#api/scalars.ts'
import type { TypedLocalObjectReference, TypedObjectReference } from './references.ts'

/** A request for storage. */
export interface PersistentVolumeClaim extends ApiObject {
  /** Desired state. */
  spec?: PersistentVolumeClaimSpec
  /** Observed state. */
  status?: PersistentVolumeClaimStatus
}

/** Requested storage. */
export interface PersistentVolumeClaimSpec {
  /**
   * How it will be used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.
   * @listType atomic
   */
  accessModes?: string[]
  /** Which volumes will do. */
  selector?: LabelSelector
  /** How much. */
  resources?: VolumeResourceRequirements
  /** The volume that the claim is bound to. */
  volumeName?: string
  /** Name of the storage class. */
  storageClassName?: string
  /**
   * Filesystem or Block.
   * @default Filesystem
   */
  volumeMode?: string
  /** Source of the content of the volume. */
  dataSource?: TypedLocalObjectReference
  /** Source of the content of the volume, of any kind and namespace. */
  dataSourceRef?: TypedObjectReference
  /** Name of the attributes class. */
  volumeAttributesClassName?: string
}

/** How much storage. */
export interface VolumeResourceRequirements {
  /** Most. */
  limits?: Record<string, Quantity>
  /** Least. */
  requests?: Record<string, Quantity>
}

/** Observed state of a claim. */
export interface PersistentVolumeClaimStatus {
  /** Pending, Bound or Lost. */
  phase?: string
  /**
   * How the volume can be used.
   * @listType atomic
   */
  accessModes?: string[]
  /** Capacity of the volume. */
  capacity?: Record<string, Quantity>
  /**
   * The state of the claim, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: PersistentVolumeClaimCondition[]
  /** Allocated amount. */
  allocatedResources?: Record<string, Quantity>
  /** Progress of a resize, by resource. */
  allocatedResourceStatuses?: Record<string, string>
  /** Attributes class in force. */
  currentVolumeAttributesClassName?: string
  /** Progress of a change of the attributes. */
  modifyVolumeStatus?: ModifyVolumeStatus
}

/** One aspect of the state of a claim. */
export interface PersistentVolumeClaimCondition {
  /** Name of the aspect. */
  type: string
  /** True, False or Unknown. */
  status: string
  /** When it was last checked. */
  lastProbeTime?: Time | null
  /** When the status last changed. */
  lastTransitionTime?: Time | null
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** Progress of a change of the attributes. */
export interface ModifyVolumeStatus {
  /** The wanted class. */
  targetVolumeAttributesClassName?: string
  /** Pending, InProgress or Infeasible. */
  status: string
}
