import type { Int64, Quantity, Time, UInt32 } from '#api/scalars.ts'

/** Observed state of a volume of a guest. */
export interface VolumeStatus {
  /** Name of the volume. */
  name: string
  /** Name of the device in the guest, such as `vda`. */
  target: string
  /** Phase of the attachment of the volume. */
  phase?: string
  /** Reason for the phase, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the phase. */
  message?: string
  /** PersistentVolumeClaim of the volume. */
  persistentVolumeClaimInfo?: PersistentVolumeClaimInfo
  /** Status of a hotplugged volume. */
  hotplugVolume?: HotplugVolumeStatus
  /** Size in bytes. */
  size?: Int64
  /** Status of a memory dump volume. */
  memoryDumpVolume?: DomainMemoryDumpInfo
  /** Status of a container disk. */
  containerDiskVolume?: ContainerDiskInfo
}

/** Properties of a PersistentVolumeClaim that the node needs. */
export interface PersistentVolumeClaimInfo {
  /** Name of the PersistentVolumeClaim. */
  claimName?: string
  /**
   * Access modes of the PersistentVolumeClaim.
   * @listType atomic
   */
  accessModes?: string[]
  /** Volume mode of the PersistentVolumeClaim: Filesystem or Block. */
  volumeMode?: string
  /** Capacity of the PersistentVolumeClaim. */
  capacity?: Record<string, Quantity>
  /** Requested size of the PersistentVolumeClaim. */
  requests?: Record<string, Quantity>
  /** True if the space of the volume is preallocated. */
  preallocated?: boolean
  /**
   * Fraction of the volume that file systems need for their own data: 0 to 1.
   * @pattern ^(0(?:\.\d{1,3})?|1)$
   */
  filesystemOverhead?: string
}

/** Status of a hotplugged volume. */
export interface HotplugVolumeStatus {
  /** Name of the pod that attaches the volume. */
  attachPodName?: string
  /** UID of the pod that attaches the volume. */
  attachPodUID?: string
}

/** Status of a memory dump. */
export interface DomainMemoryDumpInfo {
  /** Time at which the dump started. */
  startTimestamp?: Time
  /** Time at which the dump ended. */
  endTimestamp?: Time
  /** Name of the PersistentVolumeClaim with the dump. */
  claimName?: string
  /** Name of the file with the dump. */
  targetFileName?: string
}

/** Status of a container disk. */
export interface ContainerDiskInfo {
  /**
   * Checksum of the container disk; deprecated.
   * @format int64
   * @maximum 4294967295
   */
  checksum?: UInt32
}

/** Volume that is being migrated. */
export interface StorageMigratedVolumeInfo {
  /** Name of the volume. */
  volumeName: string
  /** PersistentVolumeClaim that the volume is migrated from. */
  sourcePVCInfo?: PersistentVolumeClaimInfo
  /** PersistentVolumeClaim that the volume is migrated to. */
  destinationPVCInfo?: PersistentVolumeClaimInfo
}

/** Status of changed block tracking. */
export interface ChangedBlockTrackingStatus {
  /** State of changed block tracking. */
  state: string
  /**
   * Status of the last backup.
   * @nullable
   */
  backupStatus?: VirtualMachineInstanceBackupStatus | null
}

/** Status of a backup. */
export interface VirtualMachineInstanceBackupStatus {
  /** Name of the backup. */
  backupName?: string
  /** Time at which the backup started. */
  startTimestamp?: Time
  /** Time at which the backup ended. */
  endTimestamp?: Time
  /** True if the backup has ended. */
  completed?: boolean
  /** True if the backup failed. */
  failed?: boolean
  /** Human-readable explanation of the result. */
  backupMsg?: string
  /** Name of the checkpoint. */
  checkpointName?: string
  /**
   * Volumes in the backup.
   * @listType atomic
   */
  volumes?: VirtualMachineInstanceBackupVolumeInfo[]
  /** Status of the quiescing of the guest's file systems. */
  quiesceStatus?: string
}

/** Volume in a backup. */
export interface VirtualMachineInstanceBackupVolumeInfo {
  /** Name of the volume. */
  volumeName: string
}
