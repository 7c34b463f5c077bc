import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type { Disk } from './domain/disk.ts'
import type { VirtualMachineInstanceTemplateSpec } from './virtual-machine-instance.ts'
import type { HotplugVolumeSource } from './volume.ts'
import type { ChangedBlockTrackingStatus, StorageMigratedVolumeInfo } from './volume-status.ts'

/** VM that can be started and stopped. */
export interface VirtualMachine extends ApiObject {
  /** Desired state of the VM. */
  spec: VirtualMachineSpec
  /** Observed state of the VM. */
  status?: VirtualMachineStatus
}

/** Policy for the start and restart of the guest of a VM. */
export type VirtualMachineRunStrategy = 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once' | 'WaitAsReceiver'

/** Desired state of a VM. */
export interface VirtualMachineSpec {
  /** Deprecated form of runStrategy: true is Always, false is Halted. Excludes runStrategy. */
  running?: boolean
  /**
   * Policy for the start and restart of the guest: Always, Halted, Manual, RerunOnFailure, Once or
   * WaitAsReceiver. Excludes running.
   */
  runStrategy?: VirtualMachineRunStrategy
  /** Instance type with the CPUs, memory and other resources of the guest. */
  instancetype?: InstancetypeMatcher
  /** Preference with values for fields that the template leaves unset. */
  preference?: PreferenceMatcher
  /** Template of the VMI. */
  template: VirtualMachineInstanceTemplateSpec
  /** DataVolumes that are created for the VM and deleted with the VM. */
  dataVolumeTemplates?: DataVolumeTemplateSpec[]
  /**
   * Policy for a change of volumes: Replacement or Migration.
   * @notActedOn
   */
  updateVolumesStrategy?: string
}

/** Reference to an instance type. */
export interface InstancetypeMatcher {
  /** Name of the instance type. */
  name?: string
  /**
   * Kind of the instance type: VirtualMachineInstancetype or VirtualMachineClusterInstancetype; the
   * latter when absent.
   */
  kind?: string
  /** Name of the ControllerRevision with the copy to use, in the namespace of the VM. */
  revisionName?: string
  /** Name of the volume whose labels name the instance type. */
  inferFromVolume?: string
  /** Policy for a volume without these labels: Reject or Ignore; Reject when absent. */
  inferFromVolumeFailurePolicy?: string
}

/** Reference to a preference. */
export interface PreferenceMatcher {
  /** Name of the preference. */
  name?: string
  /**
   * Kind of the preference: VirtualMachinePreference or VirtualMachineClusterPreference; the latter
   * when absent.
   */
  kind?: string
  /** Name of the ControllerRevision with the copy to use, in the namespace of the VM. */
  revisionName?: string
  /** Name of the volume whose labels name the preference. */
  inferFromVolume?: string
  /** Policy for a volume without these labels: Reject or Ignore; Reject when absent. */
  inferFromVolumeFailurePolicy?: string
}

/** DataVolume that is created for a VM. */
export interface DataVolumeTemplateSpec {
  /** API version of the DataVolume: `cdi.kubevirt.io/v1beta1`. */
  apiVersion?: string
  /** Kind of the object: `DataVolume`. */
  kind?: string
  /**
   * Name, labels and annotations of the DataVolume.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Storage and source of the volume. */
  spec: DataVolumeSpec
  /**
   * Unused; kept for compatibility.
   * @nullable
   */
  status?: DataVolumeTemplateDummyStatus | null
}

/** Unused status without fields. */
export interface DataVolumeTemplateDummyStatus {}

/** Human-readable state of a VM, as one word. */
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

/** Observed state of a VM. */
export interface VirtualMachineStatus {
  /** Name of the VirtualMachineSnapshot in progress. */
  snapshotInProgress?: string
  /** Name of the VirtualMachineRestore in progress. */
  restoreInProgress?: string
  /** True if the VMI of the VM exists. */
  created?: boolean
  /** True if the guest is running and ready. */
  ready?: boolean
  /**
   * Human-readable state of the VM, as one word.
   * @default Stopped
   */
  printableStatus?: VirtualMachinePrintableStatus
  /** Conditions of the VM. */
  conditions?: VirtualMachineCondition[]
  /** Pending requests to start, stop or restart the VM. */
  stateChangeRequests?: VirtualMachineStateChangeRequest[]
  /**
   * Pending requests to hotplug or unplug volumes.
   * @listType atomic
   */
  volumeRequests?: VirtualMachineVolumeRequest[]
  /** Support of snapshots by each volume. */
  volumeSnapshotStatuses?: VolumeSnapshotStatus[]
  /**
   * Number and retry of consecutive failed starts.
   * @nullable
   */
  startFailure?: VirtualMachineStartFailure | null
  /**
   * Status of a memory dump.
   * @nullable
   */
  memoryDumpRequest?: VirtualMachineMemoryDumpRequest | null
  /** Generation of the VM from which the running VMI was created. */
  observedGeneration?: Int64
  /** Generation of the VM from which the running VMI should be created. */
  desiredGeneration?: Int64
  /** Run strategy that was last applied. */
  runStrategy?: VirtualMachineRunStrategy
  /** Progress of a change of volumes. */
  volumeUpdateState?: VolumeUpdateState
  /**
   * Status of changed block tracking.
   * @nullable
   */
  changedBlockTracking?: ChangedBlockTrackingStatus | null
  /**
   * Instance type in use.
   * @nullable
   */
  instancetypeRef?: InstancetypeStatusRef | null
  /**
   * Preference in use.
   * @nullable
   */
  preferenceRef?: InstancetypeStatusRef | null
  /** Status of the VM that steadyvm adds to the fields of KubeVirt. */
  steadyvm?: VirtualMachineSteadyStatus
}

/** Status of a VM that steadyvm adds. */
export interface VirtualMachineSteadyStatus {
  /** Recorded state of the instance type. */
  instancetype?: PinnedHardwareStatus
  /** Recorded state of the preference. */
  preference?: PinnedHardwareStatus
  /** Value of the annotation `steadyvm.io/refresh` at the last refresh that was carried out. */
  refresh?: string
  /**
   * Names of the successors of replaced revisions, by the old name. A successor has the same
   * content, and the old name stays valid.
   */
  replaced?: Record<string, string>
  /** CPUs and memory at the next start. */
  resources?: ResolvedResources
  /** Hardware that is visible to the guest. */
  hardware?: HardwareStatus
}

/**
 * Summary of the hardware that is visible to a guest. The HardwareRecord with the name of the VM
 * contains the facts.
 */
export interface HardwareStatus {
  /**
   * SHA-256 of the facts about the hardware that is visible to the guest. The same hardware has the
   * same fingerprint in each release of QEMU.
   */
  fingerprint: string
  /** Version of the format of the facts. Fingerprints of different versions cannot be compared. */
  version: Int64
  /** Digest of the launch arguments of the guest. */
  launch: string
  /**
   * History of the hardware, newest entry first. The first entry is the current hardware. The
   * oldest entries are removed.
   * @listType atomic
   */
  history: HardwareStatusEntry[]
}

/** Hardware that a guest had from some point in time. */
export interface HardwareStatusEntry {
  /** SHA-256 of the facts about the hardware that is visible to the guest. */
  fingerprint: string
  /** Time at which the guest was first observed with this hardware. */
  since: Time
  /** Reason for the difference from the previous hardware, as one word in CamelCase. */
  reason: string
  /** Version of QEMU in which the hardware was first observed. */
  qemu: string
  /** Image of the launcher in which the hardware was first observed. */
  release?: string
}

/** Recorded state of the instance type or preference of a VM. */
export interface PinnedHardwareStatus {
  /**
   * Name of the revision in the spec when the spec was last processed. When the name is removed
   * from the spec, the VM takes the newest generation.
   */
  specRevisionName?: string
  /** Current generation of the object, if its content differs from the copy in use. */
  newerGeneration?: Int64
  /**
   * Names of the revisions that the VM has used, newest first, if they are shared with other VMs.
   * Revisions that the VM owns need no entry. The VM can be rolled back to each of the revisions.
   *
   * @listType atomic
   */
  history?: string[]
}

/** CPUs and memory of a guest, from all sources. */
export interface ResolvedResources {
  /** Number of sockets. */
  sockets?: Int64
  /** Number of cores for each socket. */
  cores?: Int64
  /** Number of threads for each core. */
  threads?: Int64
  /** Size of the guest's memory. */
  memory?: Quantity
}

/** Condition of a VM. */
export interface VirtualMachineCondition {
  /** Type of the condition: Ready, Failure, Paused, RestartRequired … */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** Time of the last check of the condition. */
  lastProbeTime?: Time | null
  /** Time of the last change of the status. */
  lastTransitionTime?: Time | null
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}

/** Request to start or stop a VM. */
export interface VirtualMachineStateChangeRequest {
  /** Action: Start or Stop. */
  action: 'Start' | 'Stop'
  /** Settings of the action. */
  data?: Record<string, string>
  /** UID of the VMI to which the request applies. */
  uid?: string
}

/** Consecutive failed starts of a VM. */
export interface VirtualMachineStartFailure {
  /** Number of consecutive failed starts. */
  consecutiveFailCount?: Int64
  /** UID of the VMI of the last failed start. */
  lastFailedVMIUID?: string
  /** Earliest time of the next start. */
  retryAfterTimestamp?: Time
}

/** Request to hotplug or unplug a volume. */
export interface VirtualMachineVolumeRequest {
  /** Volume to hotplug. */
  addVolumeOptions?: AddVolumeOptions
  /** Volume to unplug. */
  removeVolumeOptions?: RemoveVolumeOptions
}

/** Volume to hotplug. */
export interface AddVolumeOptions {
  /** Name of the disk and of the volume. */
  name: string
  /** Disk of the volume. */
  disk: Disk
  /** Source of the volume. */
  volumeSource: HotplugVolumeSource
  /**
   * Dry run. With `All`, the request changes nothing.
   * @listType atomic
   */
  dryRun?: string[]
}

/** Volume to unplug. */
export interface RemoveVolumeOptions {
  /** Name of the disk and of the volume. */
  name: string
  /**
   * Dry run. With `All`, the request changes nothing.
   * @listType atomic
   */
  dryRun?: string[]
}

/** Support of snapshots by a volume. */
export interface VolumeSnapshotStatus {
  /** Name of the volume. */
  name: string
  /** True if snapshots can include the volume. */
  enabled: boolean
  /** Reason why snapshots cannot include the volume. */
  reason?: string
}

/** Status of a memory dump. */
export interface VirtualMachineMemoryDumpRequest {
  /** Name of the PersistentVolumeClaim that the dump is written to. */
  claimName: string
  /** Phase of the memory dump. */
  phase: string
  /** True if the PersistentVolumeClaim is to be unplugged. */
  remove?: boolean
  /** Time at which the dump started. */
  startTimestamp?: Time
  /** Time at which the dump ended. */
  endTimestamp?: Time
  /** Name of the file that the dump is written to. */
  fileName?: string
  /** Error message of a failed dump. */
  message?: string
}

/** Progress of a change of volumes. */
export interface VolumeUpdateState {
  /** Progress of a migration of volumes. */
  volumeMigrationState?: VolumeMigrationState
}

/** Progress of a migration of volumes. */
export interface VolumeMigrationState {
  /**
   * Volumes that are migrated.
   * @listType atomic
   */
  migratedVolumes?: StorageMigratedVolumeInfo[]
}

/** Instance type or preference in use. */
export interface InstancetypeStatusRef {
  /** Name of the object. */
  name?: string
  /** Kind of the object. */
  kind?: string
  /** Reference to the ControllerRevision with the copy in use. */
  controllerRevisionRef?: ControllerRevisionRef
  /** Name of the volume whose labels name the object. */
  inferFromVolume?: string
  /** Policy for a volume without these labels. */
  inferFromVolumeFailurePolicy?: string
}

/** Reference to a ControllerRevision. */
export interface ControllerRevisionRef {
  /** Name of the ControllerRevision. */
  name?: string
}

/** Options of the start subresource. */
export interface StartOptions {
  /** Starts the guest in the paused state. */
  paused?: boolean
  /** Dry run. With `All`, the request changes nothing. */
  dryRun?: string[]
}

/** Options of the stop subresource. */
export interface StopOptions {
  /** Seconds between the shutdown request to the guest and its forced termination. */
  gracePeriod?: Int64
  /** Dry run. With `All`, the request changes nothing. */
  dryRun?: string[]
}

/** Options of the restart subresource. */
export interface RestartOptions {
  /** Grace period in seconds; 0 terminates the guest at once. */
  gracePeriodSeconds?: Int32
  /** Dry run. With `All`, the request changes nothing. */
  dryRun?: string[]
}
