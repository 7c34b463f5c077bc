import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity, RawObject, Time } from '#api/scalars.ts'
import type { NodeSelector } from './affinity.ts'
import type { ObjectReference, SecretReference } from './references.ts'
import type { FCVolumeSource, HostPathVolumeSource, ISCSIVolumeSource, NFSVolumeSource } from './volume.ts'

/** Piece of storage in the cluster. */
export interface PersistentVolume extends ApiObject {
  /** Definition of the volume. */
  spec?: PersistentVolumeSpec
  /** Observed state of the volume. */
  status?: PersistentVolumeStatus
}

/** Definition of a volume. */
export interface PersistentVolumeSpec {
  /** Capacity of the volume. */
  capacity?: Record<string, Quantity>
  /** Path on the node. */
  hostPath?: HostPathVolumeSource
  /** Disk or directory of one node. */
  local?: LocalVolumeSource
  /** A volume of a CSI driver. */
  csi?: CSIPersistentVolumeSource
  /** An NFS export. */
  nfs?: NFSVolumeSource
  /** An iSCSI disk. */
  iscsi?: ISCSIVolumeSource
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource
  /** A Ceph file system. */
  cephfs?: RawObject
  /** A Ceph block device. */
  rbd?: RawObject
  /** A Gluster volume. */
  glusterfs?: RawObject
  /** A FlexVolume. */
  flexVolume?: RawObject
  /** An EBS disk. */
  awsElasticBlockStore?: RawObject
  /** A GCE disk. */
  gcePersistentDisk?: RawObject
  /** An Azure disk. */
  azureDisk?: RawObject
  /** An Azure file share. */
  azureFile?: RawObject
  /** A Cinder volume. */
  cinder?: RawObject
  /** A vSphere disk. */
  vsphereVolume?: RawObject
  /**
   * Access modes of the volume.
   * @listType atomic
   */
  accessModes?: string[]
  /** Reference to the claim that the volume is bound to. */
  claimRef?: ObjectReference
  /**
   * Policy for the volume when the claim is deleted: Retain, Delete or Recycle.
   * @default Retain
   */
  persistentVolumeReclaimPolicy?: string
  /** Name of the storage class. */
  storageClassName?: string
  /**
   * Mount options of the volume.
   * @listType atomic
   */
  mountOptions?: string[]
  /**
   * Volume mode: Filesystem or Block.
   * @default Filesystem
   */
  volumeMode?: string
  /** Nodes that can access the volume. */
  nodeAffinity?: VolumeNodeAffinity
  /** Name of the volume attributes class. */
  volumeAttributesClassName?: string
}

/** Disk or directory of one node. */
export interface LocalVolumeSource {
  /** Path of the disk or directory on the node. */
  path: string
  /** File system type of the volume. */
  fsType?: string
}

/** A volume of a CSI driver. */
export interface CSIPersistentVolumeSource {
  /** Name of the driver. */
  driver: string
  /** ID that the driver uses for the volume. */
  volumeHandle: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
  /** File system type of the volume. */
  fsType?: string
  /** Settings for the driver. */
  volumeAttributes?: Record<string, string>
  /** Secret for attaching the volume. */
  controllerPublishSecretRef?: SecretReference
  /** Secret for staging the volume. */
  nodeStageSecretRef?: SecretReference
  /** Secret for mounting the volume. */
  nodePublishSecretRef?: SecretReference
  /** Secret for expanding the volume. */
  controllerExpandSecretRef?: SecretReference
  /** Secret for expanding the volume on the node. */
  nodeExpandSecretRef?: SecretReference
}

/** Nodes that can access a volume. */
export interface VolumeNodeAffinity {
  /** Selector that a node must match. */
  required?: NodeSelector
}

/** Observed state of a volume. */
export interface PersistentVolumeStatus {
  /** Phase of the volume: Pending, Available, Bound, Released or Failed. */
  phase?: string
  /** Human-readable explanation of the phase. */
  message?: string
  /** Reason of the phase, as one CamelCase word. */
  reason?: string
  /** Time of the last transition of the phase. */
  lastPhaseTransitionTime?: Time
}
