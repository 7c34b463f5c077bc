import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { Affinity, Toleration, TopologySpreadConstraint } from '#api/core/v1/affinity.ts'
import type { PodDNSConfig } from '#api/core/v1/pod.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Time, UInt32 } from '#api/scalars.ts'
import type { AccessCredential } from './access-credential.ts'
import type { CPUTopology } from './domain/cpu.ts'
import type { DomainSpec } from './domain/domain.ts'
import type { Machine } from './domain/firmware.ts'
import type { MemoryStatus } from './domain/memory.ts'
import type { VirtualMachineInstanceMigrationState } from './migration-state.ts'
import type { Network } from './network.ts'
import type { Probe } from './probe.ts'
import type { UtilityVolume, Volume } from './volume.ts'
import type { ChangedBlockTrackingStatus, StorageMigratedVolumeInfo, VolumeStatus } from './volume-status.ts'

/** Guest that is running or about to run. */
export interface VirtualMachineInstance extends ApiObject {
  /** Desired state of the VMI. */
  spec: VirtualMachineInstanceSpec
  /** Observed state of the VMI. */
  status?: VirtualMachineInstanceStatus
}

/** Template of the VMI of a VM. */
export interface VirtualMachineInstanceTemplateSpec {
  /**
   * Labels and annotations of the VMI.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Spec of the VMI. */
  spec: VirtualMachineInstanceSpec
}

/** Desired state of a VMI. */
export interface VirtualMachineInstanceSpec {
  /** Name of the priority class of the pod. */
  priorityClassName?: string
  /**
   * Virtual hardware of the guest. Admission adds an empty object when the field is absent.
   * @optional
   */
  domain: DomainSpec
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Affinity rules for the placement of the VMI. */
  affinity?: Affinity
  /** Name of the scheduler that places the VMI. */
  schedulerName?: string
  /**
   * Service account of the pod. The guest gets no token of the service account.
   * @notActedOn
   */
  serviceAccountName?: string
  /** Taints that the VMI tolerates. */
  tolerations?: Toleration[]
  /**
   * Constraints on the spread of VMIs over nodes.
   * @listType map key=topologyKey,whenUnsatisfiable
   * @notActedOn
   */
  topologySpreadConstraints?: TopologySpreadConstraint[]
  /** Policy for a drain of the node: None, LiveMigrate, LiveMigrateIfPossible or External. */
  evictionStrategy?: string
  /** Start strategy of the guest. Paused starts the guest in the paused state. */
  startStrategy?: string
  /**
   * Seconds between the shutdown request to the guest and its forced termination; 30 when absent.
   */
  terminationGracePeriodSeconds?: Int64
  /**
   * Volumes of the VMI, which disks attach to the guest.
   * @maxItems 256
   */
  volumes?: Volume[]
  /** Liveness probe. A failed probe terminates the guest. */
  livenessProbe?: Probe
  /** Readiness probe. A failed probe makes the VMI not ready. */
  readinessProbe?: Probe
  /** Host name of the guest; the name of the VMI when absent. */
  hostname?: string
  /** Subdomain of the guest's host name. */
  subdomain?: string
  /**
   * Networks that interfaces of the guest connect to.
   * @maxItems 256
   */
  networks?: Network[]
  /**
   * DNS policy of the pod.
   * @notActedOn
   */
  dnsPolicy?: string
  /**
   * DNS settings of the pod.
   * @notActedOn
   */
  dnsConfig?: PodDNSConfig
  /**
   * Credentials that are injected into the guest.
   * @listType atomic
   * @maxItems 256
   */
  accessCredentials?: AccessCredential[]
  /** CPU architecture: amd64, arm64, s390x. */
  architecture?: string
  /**
   * ResourceClaims for devices.
   * @listType map key=name
   * @notActedOn
   */
  resourceClaims?: VirtualMachineInstanceResourceClaim[]
  /**
   * PersistentVolumeClaims for operations on the VM, without disks in the guest.
   * @listType map key=name
   * @maxItems 256
   * @notActedOn
   */
  utilityVolumes?: UtilityVolume[]
}

/** ResourceClaim for devices. */
export interface VirtualMachineInstanceResourceClaim {
  /** Name of the claim; unique within the VMI. */
  name: string
  /** Name of an existing ResourceClaim. */
  resourceClaimName?: string
  /** Name of the ResourceClaimTemplate from which a ResourceClaim is created. */
  resourceClaimTemplateName?: string
}

/** Phase of a VMI. Empty before the VMI is first processed. */
export type VirtualMachineInstancePhase =
  | ''
  | 'Pending'
  | 'Scheduling'
  | 'Scheduled'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'WaitingForSync'
  | 'Unknown'

/** Status of a VMI that steadyvm adds. */
export interface VirtualMachineInstanceSteadyStatus {
  /**
   * Request to pause (true) or resume (false) the guest. The node agent removes a request to resume
   * once it is carried out; one to pause stays, so that it holds after a migration, too.
   */
  paused?: boolean | null
  /**
   * UIDs of the pods that attach hotplugged volumes to the node to which the guest is being moved,
   * by volume.
   */
  targetVolumes?: Record<string, string>
  /**
   * Request to copy disks of the running guest. Removing it cancels copies that are not complete.
   */
  diskCopy?: DiskCopyRequest | null
  /** State of the copies that were requested last. */
  diskCopyState?: DiskCopyState | null
}

/** Request to copy disks of a running guest at one instant, for a snapshot. */
export interface DiskCopyRequest {
  /** UID of the VirtualMachineSnapshot. */
  id: string
  /** Name of the VirtualMachineSnapshot. */
  snapshotName: string
  /**
   * Disks to copy. None: the guest agent holds back writes until the request is removed.
   * @listType atomic
   */
  disks: DiskCopyTarget[]
}

/** Disk to copy, and its target. */
export interface DiskCopyTarget {
  /** Name of the volume in the VMI. */
  volume: string
  /** Name of the PersistentVolumeClaim that gets the content. */
  claimName: string
  /** Volume mode of the PersistentVolumeClaim: Filesystem or Block. */
  volumeMode: string
  /** UID of the pod that attaches the PersistentVolumeClaim to the node of the guest. */
  podUid: string
}

/** State of copies of disks of a running guest. */
export interface DiskCopyState {
  /** UID of the VirtualMachineSnapshot. */
  id: string
  /** Phase of the copies: Copying, Complete or Failed; Held while only writes are held back. */
  phase: DiskCopyPhase
  /** Instant of the guest that the copies have. Absent: none was started. */
  startTime?: Time
  /** Outcome of the request to hold back writes, as an indication of snapshots. */
  quiesce?: string
  /** Copied part in percent. */
  percent?: Int32
  /** Reason of the failure. */
  message?: string
}

/** Phase of copies of disks. */
export type DiskCopyPhase = 'Copying' | 'Complete' | 'Failed' | 'Held'

/** Observed state of a VMI. */
export interface VirtualMachineInstanceStatus {
  /** Status of the VMI that steadyvm adds to the fields of KubeVirt. */
  steadyvm?: VirtualMachineInstanceSteadyStatus
  /** Name of the node that runs the guest. */
  nodeName?: string
  /** Reason for the state of the VMI, as one word in CamelCase. */
  reason?: string
  /** Conditions of the VMI. */
  conditions?: VirtualMachineInstanceCondition[]
  /** Phase of the VMI. */
  phase?: VirtualMachineInstancePhase
  /**
   * Time at which each phase started.
   * @listType atomic
   */
  phaseTransitionTimestamps?: VirtualMachineInstancePhaseTransitionTimestamp[]
  /** Network interfaces, as observed from outside and inside of the guest. */
  interfaces?: VirtualMachineInstanceNetworkInterface[]
  /** Operating system of the guest. */
  guestOSInfo?: VirtualMachineInstanceGuestOSInfo
  /** State of the current or last migration. */
  migrationState?: VirtualMachineInstanceMigrationState
  /** Migration method: LiveMigration or BlockMigration. */
  migrationMethod?: string
  /** Migration transport: Unix. */
  migrationTransport?: string
  /** QoS class of the VMI: Guaranteed, Burstable or BestEffort. */
  qosClass?: string
  /** Image of the launcher. */
  launcherContainerImageVersion?: string
  /** Name of the node that the VMI should be evacuated from. */
  evacuationNodeName?: string
  /** Node names of the active pods by pod UID. Contains two pods during a migration. */
  activePods?: Record<string, string>
  /**
   * Status of the volumes.
   * @listType atomic
   */
  volumeStatus?: VolumeStatus[]
  /** Status of the kernel that was booted directly. */
  kernelBootStatus?: KernelBootStatus
  /** Freeze status of the guest's file systems: `frozen` while their freeze is requested. */
  fsFreezeStatus?: string
  /** Requirements on the topology of the node. */
  topologyHints?: TopologyHints
  /** Name of the ControllerRevision with the VM spec from which the VMI was created. */
  virtualMachineRevisionName?: string
  /**
   * User ID of the launcher.
   * @optional
   * @minimum 0
   */
  runtimeUser?: Int64
  /**
   * Context ID (CID) of the guest for vsock connections between guest and node.
   * @format int64
   * @maximum 4294967295
   */
  VSOCKCID?: UInt32
  /** SELinux label of the pod. */
  selinuxContext?: string
  /** Machine type, resolved to a version. */
  machine?: Machine
  /** Current CPU topology. */
  currentCPUTopology?: CPUTopology
  /** Current memory. */
  memory?: MemoryStatus
  /**
   * Volumes that are being migrated.
   * @listType atomic
   */
  migratedVolumes?: StorageMigratedVolumeInfo[]
  /**
   * Status of changed block tracking.
   * @nullable
   */
  changedBlockTracking?: ChangedBlockTrackingStatus | null
  /** Devices from ResourceClaims. */
  deviceStatus?: DeviceStatus
}

/** Condition of a VMI. */
export interface VirtualMachineInstanceCondition {
  /** Type of the condition: Ready, Synchronized, Paused, AgentConnected, LiveMigratable … */
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

/** Time at which a phase started. */
export interface VirtualMachineInstancePhaseTransitionTimestamp {
  /** Phase of the VMI. */
  phase?: VirtualMachineInstancePhase
  /** Time at which the phase started. */
  phaseTransitionTimestamp?: Time
}

/** Network interface, as observed from outside and inside of the guest. */
export interface VirtualMachineInstanceNetworkInterface {
  /** First IP address of the interface. */
  ipAddress?: string
  /** MAC address. */
  mac?: string
  /** Name of the network. */
  name?: string
  /** All IP addresses of the interface. */
  ipAddresses?: string[]
  /** Name of the interface in the pod. */
  podInterfaceName?: string
  /** Name of the interface in the guest. */
  interfaceName?: string
  /** Source of the information: domain, guest-agent, multus-status. */
  infoSource?: string
  /** Number of queues of the interface. */
  queueCount?: Int32
  /** Link state of the interface: up or down. */
  linkState?: string
}

/** Operating system of a guest. */
export interface VirtualMachineInstanceGuestOSInfo {
  /** Name of the operating system. */
  name?: string
  /** Release of the kernel. */
  kernelRelease?: string
  /** Version of the operating system. */
  version?: string
  /** Human-readable name of the operating system. */
  prettyName?: string
  /** Identifier of the version. */
  versionId?: string
  /** Version of the kernel. */
  kernelVersion?: string
  /** CPU architecture. */
  machine?: string
  /** Identifier of the operating system. */
  id?: string
}

/** Status of a kernel that was booted directly. */
export interface KernelBootStatus {
  /** Information about the kernel. */
  kernelInfo?: KernelArtifactInfo
  /** Information about the initrd. */
  initrdInfo?: KernelArtifactInfo
}

/** Information about a kernel or initrd. */
export interface KernelArtifactInfo {
  /**
   * Checksum of the file; deprecated.
   * @format int64
   * @maximum 4294967295
   */
  checksum?: UInt32
}

/** Requirements on the topology of a node. */
export interface TopologyHints {
  /** Frequency of the TSC in hertz. */
  tscFrequency?: Int64
}

/** Devices from ResourceClaims. */
export interface DeviceStatus {
  /**
   * GPUs from ResourceClaims.
   * @listType atomic
   */
  gpuStatuses?: DeviceStatusInfo[]
  /**
   * Host devices from ResourceClaims.
   * @listType atomic
   */
  hostDeviceStatuses?: DeviceStatusInfo[]
}

/** Device from a ResourceClaim. */
export interface DeviceStatusInfo {
  /** Name of the device. */
  name: string
  /** ResourceClaim and attributes of the device. */
  deviceResourceClaimStatus?: DeviceResourceClaimStatus
}

/** ResourceClaim and attributes of a device. */
export interface DeviceResourceClaimStatus {
  /** Name of the device. */
  name?: string
  /** Name of the ResourceClaim. */
  resourceClaimName?: string
  /** Attributes of the device. */
  attributes?: DeviceAttribute
}

/** Attributes of a device. */
export interface DeviceAttribute {
  /** PCI address of the device. */
  pciAddress?: string
  /** UUID of the mediated device. */
  mDevUUID?: string
}
