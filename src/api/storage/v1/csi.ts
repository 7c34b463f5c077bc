import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Quantity, RawObject, Time } from '#api/scalars.ts'

/** Capabilities of a CSI driver. */
export interface CSIDriver extends ApiObject {
  /** Capabilities of the driver. */
  spec: CSIDriverSpec
}

/** Capabilities of a driver. */
export interface CSIDriverSpec {
  /** True if volumes must be attached to a node before they are mounted. */
  attachRequired?: boolean
  /** True if the driver requires information about the pod. */
  podInfoOnMount?: boolean
  /**
   * Supported lifecycle modes of volumes: Persistent, Ephemeral.
   * @listType set
   */
  volumeLifecycleModes?: string[]
  /** True if the driver reports the available storage capacity. */
  storageCapacity?: boolean
  /** Policy for changing the group of the files. */
  fsGroupPolicy?: string
  /**
   * Tokens that are passed to the driver.
   * @listType atomic
   */
  tokenRequests?: CSITokenRequest[]
  /** True if the driver is called again to refresh mounted volumes. */
  requiresRepublish?: boolean
  /** True if the driver mounts volumes with SELinux labels. */
  seLinuxMount?: boolean
  /** Seconds between two updates of the maximum number of volumes of a node. */
  nodeAllocatableUpdatePeriodSeconds?: Int64
}

/** Token for a CSI driver. */
export interface CSITokenRequest {
  /** Audience of the token. */
  audience: string
  /** Lifetime of the token in seconds. */
  expirationSeconds?: Int64
}

/** CSI drivers of a node. */
export interface CSINode extends ApiObject {
  /** CSI drivers of the node. */
  spec: CSINodeSpec
}

/** CSI drivers of a node. */
export interface CSINodeSpec {
  /**
   * CSI drivers of the node.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  drivers: CSINodeDriver[]
}

/** CSI driver on a node. */
export interface CSINodeDriver {
  /** Name of the driver. */
  name: string
  /** ID that the driver uses for the node. */
  nodeID: string
  /**
   * Keys of the topology labels that the driver supports.
   * @listType atomic
   */
  topologyKeys?: string[]
  /** Limit on the volumes of the driver on the node. */
  allocatable?: VolumeNodeResources
}

/** Limit on the volumes of a driver on a node. */
export interface VolumeNodeResources {
  /** Maximum number of volumes. */
  count?: Int32
}

/** Request to attach a volume to a node. */
export interface VolumeAttachment extends ApiObject {
  /** Desired state of the VolumeAttachment. */
  spec: VolumeAttachmentSpec
  /** Observed state of the VolumeAttachment. */
  status?: VolumeAttachmentStatus
}

/** Desired state of an attachment. */
export interface VolumeAttachmentSpec {
  /** Name of the CSI driver that attaches the volume. */
  attacher: string
  /** Volume to attach. */
  source: VolumeAttachmentSource
  /** Name of the node. */
  nodeName: string
}

/** Volume to attach. */
export interface VolumeAttachmentSource {
  /** Name of the PersistentVolume. */
  persistentVolumeName?: string
  /** Spec of the volume, if the volume is part of a pod. */
  inlineVolumeSpec?: RawObject
}

/** Observed state of an attachment. */
export interface VolumeAttachmentStatus {
  /**
   * True if the volume is attached.
   * @default false
   */
  attached: boolean
  /** Metadata from the driver. */
  attachmentMetadata?: Record<string, string>
  /** Error of the attach operation. */
  attachError?: VolumeError
  /** Error of the detach operation. */
  detachError?: VolumeError
}

/** Error of a driver. */
export interface VolumeError {
  /** Time of the error. */
  time?: Time
  /** Error message. */
  message?: string
  /** gRPC code of the error. */
  errorCode?: Int32
}

/** Available capacity of a driver for a storage class in a part of the cluster. */
export interface CSIStorageCapacity extends ApiObject {
  /** Label selector for the nodes that can access the storage. */
  nodeTopology?: LabelSelector
  /** Name of the storage class. */
  storageClassName: string
  /** Available capacity. */
  capacity?: Quantity
  /** Maximum size of a volume. */
  maximumVolumeSize?: Quantity
}
