import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type {
  DownwardAPIVolumeFile,
  PersistentVolumeClaimVolumeSource as CorePersistentVolumeClaimVolumeSource,
} from '#api/core/v1/volume.ts'
import type { Quantity } from '#api/scalars.ts'

/** A named volume of a machine. */
export interface Volume extends VolumeSource {
  /** Name, unique within the machine. */
  name: string
}

/** Source of a volume; exactly one member is set. */
export interface VolumeSource {
  /** A disk image on the node. */
  hostDisk?: HostDisk
  /** A claim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  /** Data for cloud-init as a NoCloud disk. */
  cloudInitNoCloud?: CloudInitNoCloudSource
  /**
   * Data for cloud-init as a config drive.
   * @notActedOn
   */
  cloudInitConfigDrive?: CloudInitConfigDriveSource
  /**
   * Answers for the set-up of Windows.
   * @notActedOn
   */
  sysprep?: SysprepSource
  /** A disk image in a container image. */
  containerDisk?: ContainerDiskSource
  /**
   * A claim in the same namespace that is never written to.
   * @notActedOn
   */
  ephemeral?: EphemeralVolumeSource
  /** An empty disk that lives as long as the running machine. */
  emptyDisk?: EmptyDiskSource
  /** A claim that a DataVolume fills. */
  dataVolume?: DataVolumeSource
  /**
   * The keys of a ConfigMap as files.
   * @notActedOn
   */
  configMap?: ConfigMapVolumeSource
  /**
   * The keys of a Secret as files.
   * @notActedOn
   */
  secret?: SecretVolumeSource
  /**
   * Fields of the pod as files.
   * @notActedOn
   */
  downwardAPI?: DownwardAPIVolumeSource
  /**
   * A token of a service account.
   * @notActedOn
   */
  serviceAccount?: ServiceAccountVolumeSource
  /**
   * Metrics of the node as a disk.
   * @notActedOn
   */
  downwardMetrics?: DownwardMetricsVolumeSource
  /**
   * Where a dump of the memory goes.
   * @notActedOn
   */
  memoryDump?: MemoryDumpVolumeSource
  /**
   * A path of the launcher's container.
   * @notActedOn
   */
  containerPath?: ContainerPathVolumeSource
}

/** Source of a hotplugged volume; exactly one member is set. */
export interface HotplugVolumeSource {
  /** A claim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  /** A claim that a DataVolume fills. */
  dataVolume?: DataVolumeSource
}

/** A disk image on the node. */
export interface HostDisk {
  /** Path of the image. */
  path: string
  /** Disk or DiskOrCreate. */
  type: string
  /** Size of a new image. */
  capacity?: Quantity
  /** Whether all nodes see the same file. */
  shared?: boolean
}

/** A claim in the same namespace. */
export interface PersistentVolumeClaimVolumeSource extends CorePersistentVolumeClaimVolumeSource {
  /**
   * Whether it can be unplugged.
   * @notActedOn
   */
  hotpluggable?: boolean
}

/** Data for cloud-init as a NoCloud disk. */
export interface CloudInitNoCloudSource {
  /**
   * Secret with user data.
   * @notActedOn
   */
  secretRef?: LocalObjectReference
  /** User data, as base64. */
  userDataBase64?: string
  /** User data. */
  userData?: string
  /**
   * Secret with network data.
   * @notActedOn
   */
  networkDataSecretRef?: LocalObjectReference
  /** Network data, as base64. */
  networkDataBase64?: string
  /** Network data. */
  networkData?: string
}

/** Data for cloud-init as a config drive. */
export interface CloudInitConfigDriveSource {
  /** Secret with user data. */
  secretRef?: LocalObjectReference
  /** User data, as base64. */
  userDataBase64?: string
  /** User data. */
  userData?: string
  /** Secret with network data. */
  networkDataSecretRef?: LocalObjectReference
  /** Network data, as base64. */
  networkDataBase64?: string
  /** Network data. */
  networkData?: string
}

/** Answers for the set-up of Windows. */
export interface SysprepSource {
  /** Secret with them. */
  secret?: LocalObjectReference
  /** ConfigMap with them. */
  configMap?: LocalObjectReference
}

/** A disk image in a container image. */
export interface ContainerDiskSource {
  /** Image reference. */
  image: string
  /**
   * Secret with registry credentials.
   * @notActedOn
   */
  imagePullSecret?: string
  /** Path of the disk image; the only file in `/disk` when absent. */
  path?: string
  /** Always, Never or IfNotPresent. */
  imagePullPolicy?: string
}

/** A claim that is never written to. */
export interface EphemeralVolumeSource {
  /** The claim. */
  persistentVolumeClaim?: CorePersistentVolumeClaimVolumeSource
}

/** An empty disk. */
export interface EmptyDiskSource {
  /** Size of the disk. */
  capacity: Quantity
}

/** A claim that a DataVolume fills. */
export interface DataVolumeSource {
  /** Name of the DataVolume and of its claim. */
  name: string
  /**
   * Whether it can be unplugged.
   * @notActedOn
   */
  hotpluggable?: boolean
}

/** The keys of a ConfigMap as files. */
export interface ConfigMapVolumeSource extends LocalObjectReference {
  /** Whether it may be missing. */
  optional?: boolean
  /** Label of the volume that the guest sees. */
  volumeLabel?: string
}

/** The keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Name of the Secret. */
  secretName?: string
  /** Whether it may be missing. */
  optional?: boolean
  /** Label of the volume that the guest sees. */
  volumeLabel?: string
}

/** Fields of the pod as files. */
export interface DownwardAPIVolumeSource {
  /** The files. */
  fields?: DownwardAPIVolumeFile[]
  /** Label of the volume that the guest sees. */
  volumeLabel?: string
}

/** A token of a service account. */
export interface ServiceAccountVolumeSource {
  /** Name of the service account. */
  serviceAccountName?: string
}

/** No settings: presence adds the disk. */
export interface DownwardMetricsVolumeSource {}

/** Where a dump of the memory goes. */
export interface MemoryDumpVolumeSource extends PersistentVolumeClaimVolumeSource {}

/** A path of the launcher's container. */
export interface ContainerPathVolumeSource {
  /** The path. */
  path: string
  /** Forbids writing. */
  readOnly?: boolean
}

/** A claim for operations on a machine, without a disk in the guest. */
export interface UtilityVolume extends CorePersistentVolumeClaimVolumeSource {
  /** Name, unique within the machine. */
  name: string
  /** MemoryDump or Backup. */
  type?: string
}
