import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Quantity, RawObject, Time } from '#api/scalars.ts'

/** Capabilities of a volume driver. */
export interface CSIDriver extends ApiObject {
  /** The abilities. */
  spec: CSIDriverSpec
}

/** The abilities of a driver. */
export interface CSIDriverSpec {
  /** Whether volumes must be attached to a node first. */
  attachRequired?: boolean
  /** Whether the driver wants to know about the pod. */
  podInfoOnMount?: boolean
  /**
   * Persistent, Ephemeral.
   * @listType set
   */
  volumeLifecycleModes?: string[]
  /** Whether it tells how much space there is. */
  storageCapacity?: boolean
  /** Policy for changing the group of the files. */
  fsGroupPolicy?: string
  /**
   * Tokens that the driver gets.
   * @listType atomic
   */
  tokenRequests?: CSITokenRequest[]
  /** Whether it is called again to refresh what it mounted. */
  requiresRepublish?: boolean
  /** Whether it mounts with SELinux labels. */
  seLinuxMount?: boolean
  /** Seconds after which the number of volumes that a node can take is asked for again. */
  nodeAllocatableUpdatePeriodSeconds?: Int64
}

/** A token for a driver. */
export interface CSITokenRequest {
  /** For whom. */
  audience: string
  /** For how many seconds. */
  expirationSeconds?: Int64
}

/** Drivers of a node. */
export interface CSINode extends ApiObject {
  /** The drivers. */
  spec: CSINodeSpec
}

/** Drivers of a node. */
export interface CSINodeSpec {
  /**
   * The drivers.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  drivers: CSINodeDriver[]
}

/** A driver on a node. */
export interface CSINodeDriver {
  /** Name of the driver. */
  name: string
  /** Name of the node for the driver. */
  nodeID: string
  /**
   * Topology labels that it knows.
   * @listType atomic
   */
  topologyKeys?: string[]
  /** How many volumes it can take. */
  allocatable?: VolumeNodeResources
}

/** How many volumes a node can take. */
export interface VolumeNodeResources {
  /** The number. */
  count?: Int32
}

/** Asks for a volume to be attached to a node. */
export interface VolumeAttachment extends ApiObject {
  /** Desired state. */
  spec: VolumeAttachmentSpec
  /** Observed state. */
  status?: VolumeAttachmentStatus
}

/** Desired state of an attachment. */
export interface VolumeAttachmentSpec {
  /** Driver that attaches. */
  attacher: string
  /** The volume. */
  source: VolumeAttachmentSource
  /** The node. */
  nodeName: string
}

/** The volume of an attachment. */
export interface VolumeAttachmentSource {
  /** Its name. */
  persistentVolumeName?: string
  /** Its spec, when it is part of a pod. */
  inlineVolumeSpec?: RawObject
}

/** Observed state of an attachment. */
export interface VolumeAttachmentStatus {
  /**
   * Whether it is attached.
   * @default false
   */
  attached: boolean
  /** Metadata from the driver. */
  attachmentMetadata?: Record<string, string>
  /** Why it could not be attached. */
  attachError?: VolumeError
  /** Why it could not be detached. */
  detachError?: VolumeError
}

/** A failure of a driver. */
export interface VolumeError {
  /** When. */
  time?: Time
  /** Error message. */
  message?: string
  /** Code of the gRPC error. */
  errorCode?: Int32
}

/** How much space a driver has for a class of volumes, in a part of the cluster. */
export interface CSIStorageCapacity extends ApiObject {
  /** The nodes that can reach it. */
  nodeTopology?: LabelSelector
  /** The class of volumes. */
  storageClassName: string
  /** How much there is. */
  capacity?: Quantity
  /** How large a volume can be. */
  maximumVolumeSize?: Quantity
}
