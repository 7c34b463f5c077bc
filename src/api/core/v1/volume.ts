import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Quantity, RawObject } from '#api/scalars.ts'
import type { ObjectFieldSelector, ResourceFieldSelector } from './container.ts'
import type { PersistentVolumeClaimSpec } from './persistent-volume-claim.ts'
import type { LocalObjectReference } from './references.ts'

/** A volume of a pod. */
export interface Volume extends VolumeSource {
  /** Name, unique within the pod. */
  name: string
}

/** Source of a volume; exactly one member is set. */
export interface VolumeSource {
  /** A path of the node. */
  hostPath?: HostPathVolumeSource
  /** A directory that lives as long as the pod. */
  emptyDir?: EmptyDirVolumeSource
  /** The keys of a Secret as files. */
  secret?: SecretVolumeSource
  /** A claim in the pod's namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  /** Fields of the pod as files. */
  downwardAPI?: DownwardAPIVolumeSource
  /** The keys of a ConfigMap as files. */
  configMap?: ConfigMapVolumeSource
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource
  /** A claim that lives as long as the pod. */
  ephemeral?: EphemeralVolumeSource
  /** The files of an image, read-only. */
  image?: ImageVolumeSource
  /** A volume of a CSI driver that lives as long as the pod. */
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

/** A path of the node. */
export interface HostPathVolumeSource {
  /** The path. */
  path: string
  /**
   * Expected type of the path: Directory, File, Socket, DirectoryOrCreate …
   * @default ""
   */
  type?: string
}

/** A directory that lives as long as the pod. */
export interface EmptyDirVolumeSource {
  /** Empty for disk, Memory for memory, HugePages… */
  medium?: string
  /** Most that it may hold. */
  sizeLimit?: Quantity
}

/** The keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Name of the Secret. */
  secretName?: string
  /**
   * Keys and paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /**
   * Mode of the files.
   * @default 420
   */
  defaultMode?: Int32
  /** Whether it may be missing. */
  optional?: boolean
}

/** The keys of a ConfigMap as files. */
export interface ConfigMapVolumeSource {
  /** Name of the ConfigMap. */
  name?: string
  /**
   * Keys and paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /**
   * Mode of the files.
   * @default 420
   */
  defaultMode?: Int32
  /** Whether it may be missing. */
  optional?: boolean
}

/** A key as a file. */
export interface KeyToPath {
  /** The key. */
  key: string
  /** Path within the volume. */
  path: string
  /** Mode of the file. */
  mode?: Int32
}

/** A claim in the pod's namespace. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim. */
  claimName: string
  /** Mounts it read-only. */
  readOnly?: boolean
}

/** Fields of the pod as files. */
export interface DownwardAPIVolumeSource {
  /**
   * The files.
   * @listType atomic
   */
  items?: DownwardAPIVolumeFile[]
  /**
   * Mode of the files.
   * @default 420
   */
  defaultMode?: Int32
}

/** A field of the pod as a file. */
export interface DownwardAPIVolumeFile {
  /** Path within the volume. */
  path: string
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector
  /** A resource of a container. */
  resourceFieldRef?: ResourceFieldSelector
  /** Mode of the file. */
  mode?: Int32
}

/** Several sources in one directory. */
export interface ProjectedVolumeSource {
  /**
   * The sources.
   * @listType atomic
   */
  sources?: VolumeProjection[]
  /**
   * Mode of the files.
   * @default 420
   */
  defaultMode?: Int32
}

/** One source of a projected volume; exactly one is set. */
export interface VolumeProjection {
  /** The keys of a Secret. */
  secret?: SecretProjection
  /** Fields of the pod. */
  downwardAPI?: DownwardAPIProjection
  /** The keys of a ConfigMap. */
  configMap?: ConfigMapProjection
  /** A token of the pod's service account. */
  serviceAccountToken?: ServiceAccountTokenProjection
  /** A bundle of certificates. */
  clusterTrustBundle?: ClusterTrustBundleProjection
  /** A key and certificate for the pod. */
  podCertificate?: RawObject
}

/** The keys of a Secret in a projected volume. */
export interface SecretProjection {
  /** Name of the Secret. */
  name?: string
  /**
   * Keys and paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /** Whether it may be missing. */
  optional?: boolean
}

/** The keys of a ConfigMap in a projected volume. */
export interface ConfigMapProjection {
  /** Name of the ConfigMap. */
  name?: string
  /**
   * Keys and paths; all keys when absent.
   * @listType atomic
   */
  items?: KeyToPath[]
  /** Whether it may be missing. */
  optional?: boolean
}

/** Fields of the pod in a projected volume. */
export interface DownwardAPIProjection {
  /**
   * The files.
   * @listType atomic
   */
  items?: DownwardAPIVolumeFile[]
}

/** A token of the pod's service account. */
export interface ServiceAccountTokenProjection {
  /** Whom the token is for. */
  audience?: string
  /**
   * Seconds that the token is valid.
   * @default 3600
   */
  expirationSeconds?: Int64
  /** Path within the volume. */
  path: string
}

/** A bundle of certificates. */
export interface ClusterTrustBundleProjection {
  /** Name of the bundle. */
  name?: string
  /** Signer whose bundles are taken. */
  signerName?: string
  /** Which of the signer's bundles. */
  labelSelector?: LabelSelector
  /** Whether it may be missing. */
  optional?: boolean
  /** Path within the volume. */
  path: string
}

/** A claim that lives as long as the pod. */
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

/** The files of an image. */
export interface ImageVolumeSource {
  /** Image reference. */
  reference?: string
  /** Always, Never or IfNotPresent. */
  pullPolicy?: string
}

/** A volume of a CSI driver. */
export interface CSIVolumeSource {
  /** Name of the driver. */
  driver: string
  /** Mounts it read-only. */
  readOnly?: boolean
  /** File system. */
  fsType?: string
  /** Settings for the driver. */
  volumeAttributes?: Record<string, string>
  /** Secret for the driver. */
  nodePublishSecretRef?: LocalObjectReference
}

/** An NFS export. */
export interface NFSVolumeSource {
  /** Host of the server. */
  server: string
  /** Exported path. */
  path: string
  /** Mounts it read-only. */
  readOnly?: boolean
}

/** An iSCSI disk. */
export interface ISCSIVolumeSource {
  /** Portal, `host:port`. */
  targetPortal: string
  /** Name of the target. */
  iqn: string
  /** Number of the unit. */
  lun: Int32
  /** Transport. */
  iscsiInterface?: string
  /** File system. */
  fsType?: string
  /** Mounts it read-only. */
  readOnly?: boolean
  /**
   * Further portals.
   * @listType atomic
   */
  portals?: string[]
  /** Authenticates discovery. */
  chapAuthDiscovery?: boolean
  /** Authenticates sessions. */
  chapAuthSession?: boolean
  /** Secret for authentication. */
  secretRef?: LocalObjectReference
  /** Own name. */
  initiatorName?: string
}

/** A Fibre Channel disk. */
export interface FCVolumeSource {
  /**
   * World wide names of the targets.
   * @listType atomic
   */
  targetWWNs?: string[]
  /** Number of the unit. */
  lun?: Int32
  /** File system. */
  fsType?: string
  /** Mounts it read-only. */
  readOnly?: boolean
  /**
   * World wide identifiers.
   * @listType atomic
   */
  wwids?: string[]
}
