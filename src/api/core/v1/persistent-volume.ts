import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity, RawObject, Time } from '#api/scalars.ts'
import type { NodeSelector } from './affinity.ts'
import type { ObjectReference, SecretReference } from './references.ts'
import type { FCVolumeSource, HostPathVolumeSource, ISCSIVolumeSource, NFSVolumeSource } from './volume.ts'

/** A piece of storage. */
export interface PersistentVolume extends ApiObject {
  /** Definition of the volume. */
  spec?: PersistentVolumeSpec
  /** Observed state of the volume. */
  status?: PersistentVolumeStatus
}

/** Definition of a volume. */
export interface PersistentVolumeSpec {
  /** Capacity. */
  capacity?: Record<string, Quantity>
  /** A path of the node. */
  hostPath?: HostPathVolumeSource
  /** A disk or directory of one node. */
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
   * How it can be used.
   * @listType atomic
   */
  accessModes?: string[]
  /** The claim that it is bound to. */
  claimRef?: ObjectReference
  /**
   * Policy when the claim goes: Retain, Delete or Recycle.
   * @default Retain
   */
  persistentVolumeReclaimPolicy?: string
  /** Name of the storage class. */
  storageClassName?: string
  /**
   * Options of the mount.
   * @listType atomic
   */
  mountOptions?: string[]
  /**
   * Filesystem or Block.
   * @default Filesystem
   */
  volumeMode?: string
  /** Nodes that can reach it. */
  nodeAffinity?: VolumeNodeAffinity
  /** Name of the attributes class. */
  volumeAttributesClassName?: string
}

/** A disk or directory of one node. */
export interface LocalVolumeSource {
  /** The path. */
  path: string
  /** File system. */
  fsType?: string
}

/** A volume of a CSI driver. */
export interface CSIPersistentVolumeSource {
  /** Name of the driver. */
  driver: string
  /** The driver's name for the volume. */
  volumeHandle: string
  /** Mounts it read-only. */
  readOnly?: boolean
  /** File system. */
  fsType?: string
  /** Settings for the driver. */
  volumeAttributes?: Record<string, string>
  /** Secret to attach it. */
  controllerPublishSecretRef?: SecretReference
  /** Secret to stage it. */
  nodeStageSecretRef?: SecretReference
  /** Secret to mount it. */
  nodePublishSecretRef?: SecretReference
  /** Secret to grow it. */
  controllerExpandSecretRef?: SecretReference
  /** Secret to grow it on the node. */
  nodeExpandSecretRef?: SecretReference
}

/** Nodes that can reach a volume. */
export interface VolumeNodeAffinity {
  /** Must match. */
  required?: NodeSelector
}

/** Observed state of a volume. */
export interface PersistentVolumeStatus {
  /** Pending, Available, Bound, Released or Failed. */
  phase?: string
  /** Why, in a sentence. */
  message?: string
  /** Why, in one word. */
  reason?: string
  /** When the phase last changed. */
  lastPhaseTransitionTime?: Time
}
