import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, RawObject, Time } from '#api/scalars.ts'
import type { Disk } from './domain/disk.ts'
import type { VirtualMachineInstanceTemplateSpec } from './virtual-machine-instance.ts'
import type { HotplugVolumeSource } from './volume.ts'
import type { ChangedBlockTrackingStatus, StorageMigratedVolumeInfo } from './volume-status.ts'

/** A machine that can be started and stopped. */
export interface VirtualMachine extends ApiObject {
  /** Desired state of the machine. */
  spec: VirtualMachineSpec
  /** Observed state of the machine. */
  status?: VirtualMachineStatus
}

/** Whether and when a machine should run. */
export type VirtualMachineRunStrategy = 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once' | 'WaitAsReceiver'

/** Desired state of a machine. */
export interface VirtualMachineSpec {
  /** Deprecated form of runStrategy: true is Always, false is Halted. Excludes runStrategy. */
  running?: boolean
  /**
   * Whether the machine should run: Always, Halted, Manual, RerunOnFailure, Once or WaitAsReceiver.
   * Excludes running.
   */
  runStrategy?: VirtualMachineRunStrategy
  /** Instance type that sizes the guest. */
  instancetype?: InstancetypeMatcher
  /** Preference that fills what the template leaves open. */
  preference?: PreferenceMatcher
  /** Template of the VMI. */
  template: VirtualMachineInstanceTemplateSpec
  /**
   * DataVolumes that are made for the machine and go with it.
   * @notActedOn
   */
  dataVolumeTemplates?: DataVolumeTemplateSpec[]
  /**
   * Effect of a change of volumes: Replacement or Migration.
   * @notActedOn
   */
  updateVolumesStrategy?: string
}

/** Points to an instance type. */
export interface InstancetypeMatcher {
  /** Name of the instance type. */
  name?: string
  /** VirtualMachineInstancetype or VirtualMachineClusterInstancetype; the latter when absent. */
  kind?: string
  /** ControllerRevision with the copy to use, in the machine's namespace. */
  revisionName?: string
  /** Volume whose labels name the instance type. */
  inferFromVolume?: string
  /** Policy when the volume does not tell: Reject or Ignore; Reject when absent. */
  inferFromVolumeFailurePolicy?: string
}

/** Points to a preference. */
export interface PreferenceMatcher {
  /** Name of the preference. */
  name?: string
  /** VirtualMachinePreference or VirtualMachineClusterPreference; the latter when absent. */
  kind?: string
  /** ControllerRevision with the copy to use, in the machine's namespace. */
  revisionName?: string
  /** Volume whose labels name the preference. */
  inferFromVolume?: string
  /** Policy when the volume does not tell: Reject or Ignore; Reject when absent. */
  inferFromVolumeFailurePolicy?: string
}

/** A DataVolume that is made for a machine. */
export interface DataVolumeTemplateSpec {
  /** `cdi.kubevirt.io/v1beta1` */
  apiVersion?: string
  /** `DataVolume` */
  kind?: string
  /**
   * Name, labels and annotations.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Storage and source of the volume. */
  spec: DataVolumeSpec
  /** Kept for compatibility; unused. */
  status?: DataVolumeTemplateDummyStatus
}

/** No fields. */
export interface DataVolumeTemplateDummyStatus {}

/**
 * Storage and source of a DataVolume.
 * @preserveUnknownFields
 */
export interface DataVolumeSpec {
  /** Source of the data. */
  source?: RawObject
  /** Points to what fills it. */
  sourceRef?: DataVolumeSourceRef
  /** The claim. */
  pvc?: PersistentVolumeClaimSpec
  /** The claim, with defaults from the storage. */
  storage?: StorageSpec
  /** Name of the priority class of the pods that fill it. */
  priorityClassName?: string
  /** kubevirt or archive. */
  contentType?: string
  /** Whether its space is set aside. */
  preallocation?: boolean
}

/** Points to what fills a DataVolume. */
export interface DataVolumeSourceRef {
  /** DataSource. */
  kind: string
  /** Namespace of the object. */
  namespace?: string
  /** Name of the object. */
  name: string
}

/**
 * A claim with defaults from the storage.
 * @preserveUnknownFields
 */
export interface StorageSpec extends PersistentVolumeClaimSpec {}

/** How a machine presents itself to people. */
export type VirtualMachinePrintableStatus =
  | 'Stopped'
  | 'Provisioning'
  | 'Starting'
  | 'Running'
  | 'Paused'
  | 'Stopping'
  | 'Terminating'
  | 'CrashLoopBackOff'
  | 'Migrating'
  | 'Unknown'
  | 'ErrorUnschedulable'
  | 'ErrImagePull'
  | 'ImagePullBackOff'
  | 'ErrorPvcNotFound'
  | 'DataVolumeError'
  | 'WaitingForVolumeBinding'
  | 'WaitingForReceiver'

/** Observed state of a machine. */
export interface VirtualMachineStatus {
  /** Snapshot that is being taken. */
  snapshotInProgress?: string
  /** Restore that is going on. */
  restoreInProgress?: string
  /** Whether the running guest exists as an object. */
  created?: boolean
  /** Whether the guest runs and is ready. */
  ready?: boolean
  /**
   * The state in one word.
   * @default Stopped
   */
  printableStatus?: VirtualMachinePrintableStatus
  /** The state of the machine, by aspect. */
  conditions?: VirtualMachineCondition[]
  /** Pending requests of start, stop and restart. */
  stateChangeRequests?: VirtualMachineStateChangeRequest[]
  /**
   * Volumes to plug in and unplug.
   * @listType atomic
   */
  volumeRequests?: VirtualMachineVolumeRequest[]
  /** Which volumes snapshots can include. */
  volumeSnapshotStatuses?: VolumeSnapshotStatus[]
  /**
   * Starts that failed in a row.
   * @nullable
   */
  startFailure?: VirtualMachineStartFailure | null
  /**
   * A dump of the memory.
   * @nullable
   */
  memoryDumpRequest?: VirtualMachineMemoryDumpRequest | null
  /** Generation of the machine that the running guest was made from. */
  observedGeneration?: Int64
  /** Generation of the machine that the running guest should be made from. */
  desiredGeneration?: Int64
  /**
   * Run strategy that was last acted on.
   */
  runStrategy?: VirtualMachineRunStrategy
  /** Progress of a change of volumes. */
  volumeUpdateState?: VolumeUpdateState
  /**
   * Recording of changed blocks.
   * @nullable
   */
  changedBlockTracking?: ChangedBlockTrackingStatus | null
  /**
   * The instance type in use.
   * @nullable
   */
  instancetypeRef?: InstancetypeStatusRef | null
  /**
   * The preference in use.
   * @nullable
   */
  preferenceRef?: InstancetypeStatusRef | null
  /** State of the machine that steadyvm adds to the fields of KubeVirt. */
  steadyvm?: VirtualMachineSteadyStatus
}

/** State of a machine that steadyvm adds. */
export interface VirtualMachineSteadyStatus {
  /** Of its instance type. */
  instancetype?: PinnedHardwareStatus
  /** Of its preference. */
  preference?: PinnedHardwareStatus
  /** The refresh that was last carried out: the value that annotation `steadyvm.io/refresh` had. */
  refresh?: string
  /**
   * Successors of replaced revisions with the same content, by old name: an old name keeps its
   * meaning.
   */
  replaced?: Record<string, string>
  /** Resources at the next start. */
  resources?: ResolvedResources
  /** Hardware that the guest sees. */
  hardware?: HardwareStatus
}

/**
 * Summary of the hardware that a guest sees. The HardwareRecord with the name of the VM has the
 * facts.
 */
export interface HardwareStatus {
  /**
   * SHA-256 of all that the guest sees: the same for the same hardware, in each release of QEMU.
   */
  fingerprint: string
  /** How hardware is written down. Fingerprints of different versions cannot be compared. */
  version: Int64
  /** Digest of what the guest was launched with. */
  launch: string
  /**
   * How the hardware came to be what it is, newest first. The first is the hardware of today. The
   * oldest are forgotten.
   * @listType atomic
   */
  history: HardwareStatusEntry[]
}

/** Hardware that a guest has had since some moment. */
export interface HardwareStatusEntry {
  /** SHA-256 of all that the guest sees. */
  fingerprint: string
  /** When the guest was first seen with it. */
  since: Time
  /** Why it is another than before, in one word. */
  reason: string
  /** Version of the QEMU that it was first seen in. */
  qemu: string
  /** Image of the launcher that it was first seen in. */
  release?: string
}

/** Recorded state of the instance type or preference of a VM. */
export interface PinnedHardwareStatus {
  /**
   * Revision that the spec named when it was last looked at. Taking the name away from the spec
   * takes the newest generation.
   */
  specRevisionName?: string
  /** Generation that the object has by now, when it says something else than the copy in use. */
  newerGeneration?: Int64
  /**
   * Revisions that the machine has taken, newest first, where they are shared with others: those
   * that it owns need not be remembered. It can go back to each of them.
   *
   * @listType atomic
   */
  history?: string[]
}

/** Processors and memory of a guest, wherever they come from. */
export interface ResolvedResources {
  /** Sockets. */
  sockets?: Int64
  /** Cores of each socket. */
  cores?: Int64
  /** Threads of each core. */
  threads?: Int64
  /** Memory that the guest sees. */
  memory?: Quantity
}

/** One aspect of the state of a machine. */
export interface VirtualMachineCondition {
  /** Name of the aspect: Ready, Failure, Paused, RestartRequired … */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When it was last checked. */
  lastProbeTime?: Time | null
  /** When the status last changed. */
  lastTransitionTime?: Time | null
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** A start or stop that was asked for. */
export interface VirtualMachineStateChangeRequest {
  /**
   * Start or Stop.
   */
  action: 'Start' | 'Stop'
  /** Settings of the action. */
  data?: Record<string, string>
  /** UID of the running guest that is meant. */
  uid?: string
}

/** Starts that failed in a row. */
export interface VirtualMachineStartFailure {
  /** How many. */
  consecutiveFailCount?: Int64
  /** UID of the last one. */
  lastFailedVMIUID?: string
  /** When the next one may happen. */
  retryAfterTimestamp?: Time
}

/** A volume to plug in or unplug. */
export interface VirtualMachineVolumeRequest {
  /** Plugs one in. */
  addVolumeOptions?: AddVolumeOptions
  /** Unplugs one. */
  removeVolumeOptions?: RemoveVolumeOptions
}

/** A volume to plug in. */
export interface AddVolumeOptions {
  /** Name of the disk and of the volume. */
  name: string
  /** The device. */
  disk: Disk
  /** The volume. */
  volumeSource: HotplugVolumeSource
  /**
   * `All` changes nothing.
   * @listType atomic
   */
  dryRun?: string[]
}

/** A volume to unplug. */
export interface RemoveVolumeOptions {
  /** Name of the disk and of the volume. */
  name: string
  /**
   * `All` changes nothing.
   * @listType atomic
   */
  dryRun?: string[]
}

/** Whether snapshots can include a volume. */
export interface VolumeSnapshotStatus {
  /** Name of the volume. */
  name: string
  /** Whether they can. */
  enabled: boolean
  /** Why not. */
  reason?: string
}

/** A dump of the memory. */
export interface VirtualMachineMemoryDumpRequest {
  /** Claim that it goes to. */
  claimName: string
  /** How far it is. */
  phase: string
  /** Whether to unplug the claim. */
  remove?: boolean
  /** When it began. */
  startTimestamp?: Time
  /** When it ended. */
  endTimestamp?: Time
  /** File that it goes to. */
  fileName?: string
  /** Why it failed. */
  message?: string
}

/** Progress of a change of volumes. */
export interface VolumeUpdateState {
  /** Progress of a move. */
  volumeMigrationState?: VolumeMigrationState
}

/** Progress of a move of volumes. */
export interface VolumeMigrationState {
  /**
   * The volumes.
   * @listType atomic
   */
  migratedVolumes?: StorageMigratedVolumeInfo[]
}

/** An instance type or preference in use. */
export interface InstancetypeStatusRef {
  /** Name of the object. */
  name?: string
  /** Kind of the object. */
  kind?: string
  /** The copy in use. */
  controllerRevisionRef?: ControllerRevisionRef
  /** Volume whose labels name the object. */
  inferFromVolume?: string
  /** Policy when the volume does not tell. */
  inferFromVolumeFailurePolicy?: string
}

/** Points to a ControllerRevision. */
export interface ControllerRevisionRef {
  /** Name of the ControllerRevision. */
  name?: string
}

/** Settings of the start subresource. */
export interface StartOptions {
  /** Starts the guest without running it. */
  paused?: boolean
  /** `All` changes nothing. */
  dryRun?: string[]
}

/** Settings of the stop subresource. */
export interface StopOptions {
  /** Seconds between being told to power off and being killed. */
  gracePeriod?: Int64
  /** `All` changes nothing. */
  dryRun?: string[]
}

/** Settings of the restart subresource. */
export interface RestartOptions {
  /** 0 kills the guest at once. */
  gracePeriodSeconds?: Int32
  /** `All` changes nothing. */
  dryRun?: string[]
}
