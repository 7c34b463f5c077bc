import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type {
  DownwardAPIVolumeFile,
  PersistentVolumeClaimVolumeSource as CorePersistentVolumeClaimVolumeSource,
} from '#api/core/v1/volume.ts'
import type { Quantity } from '#api/scalars.ts'

/** Named volume of a VM. */
export interface Volume extends VolumeSource {
  /** Name of the volume; unique within the VM. */
  name: string
}

/** Source of a volume; exactly one member is set. */
export interface VolumeSource {
  /** Disk image on the node. */
  hostDisk?: HostDisk
  /** PersistentVolumeClaim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  /** Data for cloud-init on a NoCloud disk. */
  cloudInitNoCloud?: CloudInitNoCloudSource
  /**
   * Data for cloud-init on a config drive.
   * @notActedOn
   */
  cloudInitConfigDrive?: CloudInitConfigDriveSource
  /**
   * Answer files for the setup of Windows (Sysprep).
   * @notActedOn
   */
  sysprep?: SysprepSource
  /** Disk image in a container image. */
  containerDisk?: ContainerDiskSource
  /**
   * PersistentVolumeClaim in the same namespace, as read-only base of an ephemeral disk.
   * @notActedOn
   */
  ephemeral?: EphemeralVolumeSource
  /** Empty disk with the lifetime of the VMI. */
  emptyDisk?: EmptyDiskSource
  /** PersistentVolumeClaim that a DataVolume populates. */
  dataVolume?: DataVolumeVolumeSource
  /** Keys of a ConfigMap as files. */
  configMap?: ConfigMapVolumeSource
  /** Keys of a Secret as files. */
  secret?: SecretVolumeSource
  /**
   * Fields of the pod as files.
   * @notActedOn
   */
  downwardAPI?: DownwardAPIVolumeSource
  /**
   * Token of a service account.
   * @notActedOn
   */
  serviceAccount?: ServiceAccountVolumeSource
  /**
   * Metrics of the node as a disk.
   * @notActedOn
   */
  downwardMetrics?: DownwardMetricsVolumeSource
  /** PersistentVolumeClaim for memory dumps. */
  memoryDump?: MemoryDumpVolumeSource
  /**
   * Path in the container of the launcher.
   * @notActedOn
   */
  containerPath?: ContainerPathVolumeSource
}

/** Source of a hotplugged volume; exactly one member is set. */
export interface HotplugVolumeSource {
  /** PersistentVolumeClaim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  /** PersistentVolumeClaim that a DataVolume populates. */
  dataVolume?: DataVolumeVolumeSource
}

/** Disk image on the node. */
export interface HostDisk {
  /** Path of the image. */
  path: string
  /** Type of the host disk: Disk or DiskOrCreate. */
  type: string
  /** Size of a new image. */
  capacity?: Quantity
  /** True if all nodes have access to the same file. */
  shared?: boolean
}

/** PersistentVolumeClaim in the same namespace. */
export interface PersistentVolumeClaimVolumeSource extends CorePersistentVolumeClaimVolumeSource {
  /** True if the volume can be plugged and unplugged while the guest runs. */
  hotpluggable?: boolean
}

/** Data for cloud-init on a NoCloud disk. */
export interface CloudInitNoCloudSource {
  /** Secret with user data. */
  secretRef?: LocalObjectReference
  /** User data, base64-encoded. */
  userDataBase64?: string
  /** User data. */
  userData?: string
  /** Secret with network data. */
  networkDataSecretRef?: LocalObjectReference
  /** Network data, base64-encoded. */
  networkDataBase64?: string
  /** Network data. */
  networkData?: string
}

/** Data for cloud-init on a config drive. */
export interface CloudInitConfigDriveSource {
  /** Secret with user data. */
  secretRef?: LocalObjectReference
  /** User data, base64-encoded. */
  userDataBase64?: string
  /** User data. */
  userData?: string
  /** Secret with network data. */
  networkDataSecretRef?: LocalObjectReference
  /** Network data, base64-encoded. */
  networkDataBase64?: string
  /** Network data. */
  networkData?: string
}

/** Answer files for the setup of Windows (Sysprep). */
export interface SysprepSource {
  /** Secret with the answer files. */
  secret?: LocalObjectReference
  /** ConfigMap with the answer files. */
  configMap?: LocalObjectReference
}

/** Disk image in a container image. */
export interface ContainerDiskSource {
  /** Image reference. */
  image: string
  /** Secret with registry credentials. */
  imagePullSecret?: string
  /** Path of the disk image; the only file in `/disk` when absent. */
  path?: string
  /** Pull policy of the image: Always, Never or IfNotPresent. */
  imagePullPolicy?: string
}

/** PersistentVolumeClaim as read-only base of an ephemeral disk. */
export interface EphemeralVolumeSource {
  /** PersistentVolumeClaim with the base image. */
  persistentVolumeClaim?: CorePersistentVolumeClaimVolumeSource
}

/** Empty disk. */
export interface EmptyDiskSource {
  /** Size of the disk. */
  capacity: Quantity
}

/** PersistentVolumeClaim that a DataVolume populates. */
export interface DataVolumeVolumeSource {
  /** Name of the DataVolume and of its PersistentVolumeClaim. */
  name: string
  /** True if the volume can be plugged and unplugged while the guest runs. */
  hotpluggable?: boolean
}

/**
 * Keys of a ConfigMap as files.
 * @mapType atomic
 */
export interface ConfigMapVolumeSource extends LocalObjectReference {
  /** True if the ConfigMap may be missing. */
  optional?: boolean
  /** Label of the file system in the guest. */
  volumeLabel?: string
}

/** Keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Name of the Secret. */
  secretName?: string
  /** True if the Secret may be missing. */
  optional?: boolean
  /** Label of the file system in the guest. */
  volumeLabel?: string
}

/** Fields of the pod as files. */
export interface DownwardAPIVolumeSource {
  /** Files and their sources. */
  fields?: DownwardAPIVolumeFile[]
  /** Label of the file system in the guest. */
  volumeLabel?: string
}

/** Token of a service account. */
export interface ServiceAccountVolumeSource {
  /** Name of the service account. */
  serviceAccountName?: string
}

/** Disk with metrics of the node. No fields; the presence of the object adds the disk. */
export interface DownwardMetricsVolumeSource {}

/** PersistentVolumeClaim for memory dumps. */
export interface MemoryDumpVolumeSource extends PersistentVolumeClaimVolumeSource {}

/** Path in the container of the launcher. */
export interface ContainerPathVolumeSource {
  /**
   * Path in the container.
   * @maxLength 4096
   * @rule self.startsWith('/'); path must be absolute (start with '/')
   * @rule !self.contains('..'); path must not contain '..'
   */
  path: string
  /**
   * Makes the volume read-only.
   * @default true
   * @rule self == true; readOnly must be true, write access is not supported
   */
  readOnly?: boolean
}

/** PersistentVolumeClaim for operations on a VM, without a disk in the guest. */
export interface UtilityVolume extends CorePersistentVolumeClaimVolumeSource {
  /** Name of the volume; unique within the VM. */
  name: string
  /** Type of the operation: MemoryDump or Backup. */
  type?: string
}
