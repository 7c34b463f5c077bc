import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Quantity, RawObject } from '#api/scalars.ts'
import type { ObjectFieldSelector, ResourceFieldSelector } from './container.ts'
import type { PersistentVolumeClaimSpec } from './persistent-volume-claim.ts'
import type { LocalObjectReference } from './references.ts'

/** A volume of a pod. */
export interface Volume extends VolumeSource {
  /** Name of the volume, unique within the pod. */
  name: string
}

/** Source of a volume; exactly one member is set. */
export interface VolumeSource {
  /** Path on the node. */
  hostPath?: HostPathVolumeSource
  /** Empty directory with the lifetime of the pod. */
  emptyDir?: EmptyDirVolumeSource
  /** Keys of a Secret as files. */
  secret?: SecretVolumeSource
  /** PersistentVolumeClaim in the namespace of the pod. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  /** Fields of the pod as files. */
  downwardAPI?: DownwardAPIVolumeSource
  /** Keys of a ConfigMap as files. */
  configMap?: ConfigMapVolumeSource
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource
  /** PersistentVolumeClaim with the lifetime of the pod. */
  ephemeral?: EphemeralVolumeSource
  /** Files of an image, read-only. */
  image?: ImageVolumeSource
  /** Volume of a CSI driver with the lifetime of the pod. */
  csi?: CSIVolumeSource
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
  /** A Git repository. */
  gitRepo?: RawObject
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
}

/** Path on the node. */
export interface HostPathVolumeSource {
  /** Path on the node. */
  path: string
  /**
   * Expected type of the path: Directory, File, Socket, DirectoryOrCreate …
   * @default ""
   */
  type?: string
}

/** Empty directory with the lifetime of the pod. */
export interface EmptyDirVolumeSource {
  /** Storage medium: empty for disk, Memory for memory, HugePages… for huge pages. */
  medium?: string
  /** Maximum size of the data in the volume. */
  sizeLimit?: Quantity
}

/** Keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Name of the Secret. */
  secretName?: string
  /**
   * Keys to include and their paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /**
   * Default mode of the files.
   * @default 420
   */
  defaultMode?: Int32
  /** True if the Secret may be missing. */
  optional?: boolean
}

/** Keys of a ConfigMap as files. */
export interface ConfigMapVolumeSource {
  /** Name of the ConfigMap. */
  name?: string
  /**
   * Keys to include and their paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /**
   * Default mode of the files.
   * @default 420
   */
  defaultMode?: Int32
  /** True if the ConfigMap may be missing. */
  optional?: boolean
}

/** Mapping of a key to a file. */
export interface KeyToPath {
  /** Key to include. */
  key: string
  /** Path of the file within the volume. */
  path: string
  /** Mode of the file. */
  mode?: Int32
}

/** PersistentVolumeClaim in the namespace of the pod. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim. */
  claimName: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
}

/** Fields of the pod as files. */
export interface DownwardAPIVolumeSource {
  /**
   * Files of the volume.
   * @listType atomic
   */
  items?: DownwardAPIVolumeFile[]
  /**
   * Default mode of the files.
   * @default 420
   */
  defaultMode?: Int32
}

/** File with a field of the pod or a resource of a container. */
export interface DownwardAPIVolumeFile {
  /** Path of the file within the volume. */
  path: string
  /** Field of the pod. */
  fieldRef?: ObjectFieldSelector
  /** Resource of a container. */
  resourceFieldRef?: ResourceFieldSelector
  /** Mode of the file. */
  mode?: Int32
}

/** Several sources in one directory. */
export interface ProjectedVolumeSource {
  /**
   * Sources of the volume.
   * @listType atomic
   */
  sources?: VolumeProjection[]
  /**
   * Default mode of the files.
   * @default 420
   */
  defaultMode?: Int32
}

/** Source of a projected volume; exactly one member is set. */
export interface VolumeProjection {
  /** Keys of a Secret. */
  secret?: SecretProjection
  /** Fields of the pod. */
  downwardAPI?: DownwardAPIProjection
  /** Keys of a ConfigMap. */
  configMap?: ConfigMapProjection
  /** Token of the ServiceAccount of the pod. */
  serviceAccountToken?: ServiceAccountTokenProjection
  /** A bundle of certificates. */
  clusterTrustBundle?: ClusterTrustBundleProjection
  /** Private key and certificate for the pod. */
  podCertificate?: RawObject
}

/** Keys of a Secret in a projected volume. */
export interface SecretProjection {
  /** Name of the Secret. */
  name?: string
  /**
   * Keys to include and their paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /** True if the Secret may be missing. */
  optional?: boolean
}

/** Keys of a ConfigMap in a projected volume. */
export interface ConfigMapProjection {
  /** Name of the ConfigMap. */
  name?: string
  /**
   * Keys to include and their paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /** True if the ConfigMap may be missing. */
  optional?: boolean
}

/** Fields of the pod in a projected volume. */
export interface DownwardAPIProjection {
  /**
   * Files of the volume.
   * @listType atomic
   */
  items?: DownwardAPIVolumeFile[]
}

/** Token of the ServiceAccount of the pod. */
export interface ServiceAccountTokenProjection {
  /** Audience of the token. */
  audience?: string
  /**
   * Lifetime of the token in seconds.
   * @default 3600
   */
  expirationSeconds?: Int64
  /** Path of the token within the volume. */
  path: string
}

/** A bundle of certificates. */
export interface ClusterTrustBundleProjection {
  /** Name of the ClusterTrustBundle. */
  name?: string
  /** Name of the signer whose bundles are selected. */
  signerName?: string
  /** Label selector for the bundles of the signer. */
  labelSelector?: LabelSelector
  /** True if the bundle may be missing. */
  optional?: boolean
  /** Path of the file within the volume. */
  path: string
}

/** PersistentVolumeClaim with the lifetime of the pod. */
export interface EphemeralVolumeSource {
  /** Template of the claim. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate
}

/** Template of a claim. */
export interface PersistentVolumeClaimTemplate {
  /** Labels and annotations of the claim. */
  metadata?: ObjectMeta
  /** Spec of the claim. */
  spec: PersistentVolumeClaimSpec
}

/** Files of an image. */
export interface ImageVolumeSource {
  /** Image reference. */
  reference?: string
  /** Image pull policy: Always, Never or IfNotPresent. */
  pullPolicy?: string
}

/** A volume of a CSI driver. */
export interface CSIVolumeSource {
  /** Name of the driver. */
  driver: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
  /** File system type of the volume. */
  fsType?: string
  /** Settings for the driver. */
  volumeAttributes?: Record<string, string>
  /** Secret that is passed to the driver. */
  nodePublishSecretRef?: LocalObjectReference
}

/** An NFS export. */
export interface NFSVolumeSource {
  /** Host name or IP address of the server. */
  server: string
  /** Exported path. */
  path: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
}

/** An iSCSI disk. */
export interface ISCSIVolumeSource {
  /** Address of the target portal: `host:port`. */
  targetPortal: string
  /** iSCSI qualified name of the target. */
  iqn: string
  /** Logical unit number. */
  lun: Int32
  /** iSCSI interface, which selects the transport. */
  iscsiInterface?: string
  /** File system type of the volume. */
  fsType?: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
  /**
   * Addresses of additional portals of the target.
   * @listType atomic
   */
  portals?: string[]
  /** True if the discovery is authenticated. */
  chapAuthDiscovery?: boolean
  /** True if sessions are authenticated. */
  chapAuthSession?: boolean
  /** Secret for authentication. */
  secretRef?: LocalObjectReference
  /** Name of the iSCSI initiator. */
  initiatorName?: string
}

/** A Fibre Channel disk. */
export interface FCVolumeSource {
  /**
   * World wide names of the targets.
   * @listType atomic
   */
  targetWWNs?: string[]
  /** Logical unit number. */
  lun?: Int32
  /** File system type of the volume. */
  fsType?: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
  /**
   * World wide identifiers.
   * @listType atomic
   */
  wwids?: string[]
}
