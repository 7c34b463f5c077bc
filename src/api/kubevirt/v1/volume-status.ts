import type { Int64, Quantity, Time, UInt32 } from '#api/scalars.ts'

/** Observed state of a volume of a guest. */
export interface VolumeStatus {
  /** Name of the volume. */
  name: string
  /** Name of the device in the guest: `vda`. */
  target: string
  /** How far it is attached. */
  phase?: string
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
  /** The claim. */
  persistentVolumeClaimInfo?: PersistentVolumeClaimInfo
  /** For volumes that were plugged in. */
  hotplugVolume?: HotplugVolumeStatus
  /** Size in bytes. */
  size?: Int64
  /** For dumps of the memory. */
  memoryDumpVolume?: DomainMemoryDumpInfo
  /** For container disks. */
  containerDiskVolume?: ContainerDiskInfo
}

/** Properties of a claim that the node needs. */
export interface PersistentVolumeClaimInfo {
  /** Name of the claim. */
  claimName?: string
  /**
   * How it can be used.
   * @listType atomic
   */
  accessModes?: string[]
  /** Filesystem or Block. */
  volumeMode?: string
  /** Capacity. */
  capacity?: Record<string, Quantity>
  /** Requested size. */
  requests?: Record<string, Quantity>
  /** Whether its space is set aside. */
  preallocated?: boolean
  /**
   * Part of it that file systems take: 0 to 1.
   * @pattern ^(0(?:\.\d{1,3})?|1)$
   */
  filesystemOverhead?: string
}

/** A volume that was plugged in. */
export interface HotplugVolumeStatus {
  /** Pod that attaches it. */
  attachPodName?: string
  /** UID of the pod that attaches it. */
  attachPodUID?: string
}

/** A dump of the memory. */
export interface DomainMemoryDumpInfo {
  /** When it began. */
  startTimestamp?: Time
  /** When it ended. */
  endTimestamp?: Time
  /** Claim that it went to. */
  claimName?: string
  /** File that it went to. */
  targetFileName?: string
}

/** A container disk. */
export interface ContainerDiskInfo {
  /**
   * Checksum; deprecated.
   * @format int64
   * @maximum 4294967295
   */
  checksum?: UInt32
}

/** A volume that is being moved. */
export interface StorageMigratedVolumeInfo {
  /** Name of the volume. */
  volumeName: string
  /** Where it comes from. */
  sourcePVCInfo?: PersistentVolumeClaimInfo
  /** Where it goes. */
  destinationPVCInfo?: PersistentVolumeClaimInfo
}

/** Recording of changed blocks. */
export interface ChangedBlockTrackingStatus {
  /** How far it is. */
  state: string
  /**
   * The last backup.
   * @nullable
   */
  backupStatus?: VirtualMachineInstanceBackupStatus | null
}

/** A backup. */
export interface VirtualMachineInstanceBackupStatus {
  /** Name of the backup. */
  backupName?: string
  /** When it began. */
  startTimestamp?: Time
  /** When it ended. */
  endTimestamp?: Time
  /** Whether it is over. */
  completed?: boolean
  /** Whether it failed. */
  failed?: boolean
  /** Why, in a sentence. */
  backupMsg?: string
  /** Name of the check point. */
  checkpointName?: string
  /**
   * Volumes in it.
   * @listType atomic
   */
  volumes?: VirtualMachineInstanceBackupVolumeInfo[]
  /** Whether the file systems stood still. */
  quiesceStatus?: string
}

/** A volume in a backup. */
export interface VirtualMachineInstanceBackupVolumeInfo {
  /** Name of the volume. */
  volumeName: string
}
