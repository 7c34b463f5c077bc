import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Quantity, Time } from '#api/scalars.ts'
import type { TypedLocalObjectReference, TypedObjectReference } from './references.ts'

/** Request for storage. */
export interface PersistentVolumeClaim extends ApiObject {
  /** Desired state of the claim. */
  spec?: PersistentVolumeClaimSpec
  /** Observed state of the claim. */
  status?: PersistentVolumeClaimStatus
}

/** Requested storage. */
export interface PersistentVolumeClaimSpec {
  /**
   * Requested access modes: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.
   * @listType atomic
   */
  accessModes?: string[]
  /** Label selector for the volumes that the claim can be bound to. */
  selector?: LabelSelector
  /** Requested amount of storage. */
  resources?: VolumeResourceRequirements
  /** Name of the volume that the claim is bound to. */
  volumeName?: string
  /** Name of the storage class. */
  storageClassName?: string
  /**
   * Volume mode: Filesystem or Block.
   * @default Filesystem
   */
  volumeMode?: string
  /** Source of the content of the volume. */
  dataSource?: TypedLocalObjectReference
  /** Source of the content of the volume, of any kind and namespace. */
  dataSourceRef?: TypedObjectReference
  /** Name of the volume attributes class. */
  volumeAttributesClassName?: string
}

/** Amount of storage. */
export interface VolumeResourceRequirements {
  /** Maximum amount of storage. */
  limits?: Record<string, Quantity>
  /** Minimum amount of storage. */
  requests?: Record<string, Quantity>
}

/** Observed state of a claim. */
export interface PersistentVolumeClaimStatus {
  /** Phase of the claim: Pending, Bound or Lost. */
  phase?: string
  /**
   * Access modes of the volume.
   * @listType atomic
   */
  accessModes?: string[]
  /** Capacity of the volume. */
  capacity?: Record<string, Quantity>
  /**
   * Conditions of the claim.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: PersistentVolumeClaimCondition[]
  /** Allocated amount of storage. */
  allocatedResources?: Record<string, Quantity>
  /** Progress of a resize, by resource. */
  allocatedResourceStatuses?: Record<string, string>
  /** Name of the volume attributes class in effect. */
  currentVolumeAttributesClassName?: string
  /** Progress of a change of the volume attributes. */
  modifyVolumeStatus?: ModifyVolumeStatus
}

/** Condition of a claim. */
export interface PersistentVolumeClaimCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last check of the condition. */
  lastProbeTime?: Time | null
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time | null
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}

/** Progress of a change of the volume attributes. */
export interface ModifyVolumeStatus {
  /** Name of the desired volume attributes class. */
  targetVolumeAttributesClassName?: string
  /** Status of the change: Pending, InProgress or Infeasible. */
  status: string
}
