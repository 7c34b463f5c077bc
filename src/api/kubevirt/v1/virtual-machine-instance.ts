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

/** A guest that runs, or is about to. */
export interface VirtualMachineInstance extends ApiObject {
  /** Desired state of the guest. */
  spec: VirtualMachineInstanceSpec
  /** Observed state of the guest. */
  status?: VirtualMachineInstanceStatus
}

/** Template of the VMI of a VM. */
export interface VirtualMachineInstanceTemplateSpec {
  /**
   * Labels and annotations of the guest.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Spec of the guest. */
  spec: VirtualMachineInstanceSpec
}

/** Desired state of a guest. */
export interface VirtualMachineInstanceSpec {
  /** Name of the priority class of the pod. */
  priorityClassName?: string
  /**
   * The hardware. Admission adds an empty one when it is missing.
   * @optional
   */
  domain: DomainSpec
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Rules about where the guest goes. */
  affinity?: Affinity
  /** Name of the scheduler that places the guest. */
  schedulerName?: string
  /**
   * Identity of the pod; gives no token to the guest.
   * @notActedOn
   */
  serviceAccountName?: string
  /** Taints that the guest bears. */
  tolerations?: Toleration[]
  /**
   * Spreads guests over nodes.
   * @listType map key=topologyKey,whenUnsatisfiable
   * @notActedOn
   */
  topologySpreadConstraints?: TopologySpreadConstraint[]
  /** Policy when the node is drained: None, LiveMigrate, LiveMigrateIfPossible or External. */
  evictionStrategy?: string
  /** Paused starts the guest without running it. */
  startStrategy?: string
  /** Seconds between being told to power off and being killed; 30 when absent. */
  terminationGracePeriodSeconds?: Int64
  /**
   * Volumes that disks show to the guest.
   * @maxItems 256
   */
  volumes?: Volume[]
  /**
   * Failing ends the guest.
   * @notActedOn
   */
  livenessProbe?: Probe
  /**
   * Failing takes the guest out of service.
   * @notActedOn
   */
  readinessProbe?: Probe
  /** Host name of the guest; the object's name when absent. */
  hostname?: string
  /** Subdomain of the guest. */
  subdomain?: string
  /**
   * Networks that interfaces connect to.
   * @maxItems 256
   */
  networks?: Network[]
  /**
   * How names are resolved.
   * @notActedOn
   */
  dnsPolicy?: string
  /**
   * Settings for name resolution.
   * @notActedOn
   */
  dnsConfig?: PodDNSConfig
  /**
   * Credentials that are put into the guest.
   * @listType atomic
   * @maxItems 256
   * @notActedOn
   */
  accessCredentials?: AccessCredential[]
  /** Processor architecture: amd64, arm64, s390x. */
  architecture?: string
  /**
   * Claims on devices.
   * @listType map key=name
   * @notActedOn
   */
  resourceClaims?: VirtualMachineInstanceResourceClaim[]
  /**
   * Claims for operations on the machine, without disks in the guest.
   * @listType map key=name
   * @maxItems 256
   * @notActedOn
   */
  utilityVolumes?: UtilityVolume[]
}

/** A claim on devices. */
export interface VirtualMachineInstanceResourceClaim {
  /** Name, unique within the guest. */
  name: string
  /** An existing ResourceClaim. */
  resourceClaimName?: string
  /** A template to make one from. */
  resourceClaimTemplateName?: string
}

/** Where a guest stands in its life. Empty before anyone has looked at it. */
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

/** Observed state of a guest. */
export interface VirtualMachineInstanceStatus {
  /** Node that the guest runs on. */
  nodeName?: string
  /** Why, in one word. */
  reason?: string
  /** The state of the guest, by aspect. */
  conditions?: VirtualMachineInstanceCondition[]
  /** Where the guest stands in its life. */
  phase?: VirtualMachineInstancePhase
  /**
   * When each phase was entered.
   * @listType atomic
   */
  phaseTransitionTimestamps?: VirtualMachineInstancePhaseTransitionTimestamp[]
  /** Network interfaces as seen from outside and inside. */
  interfaces?: VirtualMachineInstanceNetworkInterface[]
  /** Operating system of the guest. */
  guestOSInfo?: VirtualMachineInstanceGuestOSInfo
  /** Progress of a migration. */
  migrationState?: VirtualMachineInstanceMigrationState
  /** LiveMigration or BlockMigration. */
  migrationMethod?: string
  /** Unix. */
  migrationTransport?: string
  /** Guaranteed, Burstable or BestEffort. */
  qosClass?: string
  /** Image of the launcher. */
  launcherContainerImageVersion?: string
  /** Node that the guest should leave. */
  evacuationNodeName?: string
  /** Nodes by pod uid; two of them during a migration. */
  activePods?: Record<string, string>
  /**
   * The volumes.
   * @listType atomic
   */
  volumeStatus?: VolumeStatus[]
  /** The kernel that was started directly. */
  kernelBootStatus?: KernelBootStatus
  /** `frozen` while the guest's file systems are asked to stand still. */
  fsFreezeStatus?: string
  /** Requirements on the node. */
  topologyHints?: TopologyHints
  /** Revision of the machine that the guest was made from. */
  virtualMachineRevisionName?: string
  /**
   * User id of the launcher.
   * @optional
   * @minimum 0
   */
  runtimeUser?: Int64
  /**
   * Address of the guest for sockets between guest and node.
   * @format int64
   * @maximum 4294967295
   */
  VSOCKCID?: UInt32
  /** SELinux label of the pod. */
  selinuxContext?: string
  /** Type of the machine, resolved to a version. */
  machine?: Machine
  /** Processors in force. */
  currentCPUTopology?: CPUTopology
  /** Memory in force. */
  memory?: MemoryStatus
  /**
   * Volumes that are being moved.
   * @listType atomic
   */
  migratedVolumes?: StorageMigratedVolumeInfo[]
  /**
   * Recording of changed blocks.
   * @nullable
   */
  changedBlockTracking?: ChangedBlockTrackingStatus | null
  /** Devices that were claimed. */
  deviceStatus?: DeviceStatus
}

/** One aspect of the state of a guest. */
export interface VirtualMachineInstanceCondition {
  /** Name of the aspect: Ready, Synchronized, Paused, AgentConnected, LiveMigratable … */
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

/** When a phase was entered. */
export interface VirtualMachineInstancePhaseTransitionTimestamp {
  /** The phase. */
  phase?: VirtualMachineInstancePhase
  /** When. */
  phaseTransitionTimestamp?: Time
}

/** A network interface as seen from outside and inside. */
export interface VirtualMachineInstanceNetworkInterface {
  /** First of the addresses. */
  ipAddress?: string
  /** Hardware address. */
  mac?: string
  /** Name of the network. */
  name?: string
  /** All addresses. */
  ipAddresses?: string[]
  /** Name in the pod. */
  podInterfaceName?: string
  /** Name in the guest. */
  interfaceName?: string
  /** Where this is known from: domain, guest-agent, multus-status. */
  infoSource?: string
  /** Number of queues. */
  queueCount?: Int32
  /** up or down. */
  linkState?: string
}

/** Operating system of a guest. */
export interface VirtualMachineInstanceGuestOSInfo {
  /** Name. */
  name?: string
  /** Release of the kernel. */
  kernelRelease?: string
  /** Version. */
  version?: string
  /** Name for people. */
  prettyName?: string
  /** Identifies the version. */
  versionId?: string
  /** Version of the kernel. */
  kernelVersion?: string
  /** Processor architecture. */
  machine?: string
  /** Identifies the system. */
  id?: string
}

/** The kernel that was started directly. */
export interface KernelBootStatus {
  /** The kernel. */
  kernelInfo?: KernelArtifactInfo
  /** The initial ram disk. */
  initrdInfo?: KernelArtifactInfo
}

/** A kernel or initial ram disk. */
export interface KernelArtifactInfo {
  /**
   * Checksum; deprecated.
   * @format int64
   * @maximum 4294967295
   */
  checksum?: UInt32
}

/** Requirements on a node. */
export interface TopologyHints {
  /** Frequency of the time stamp counter in hertz. */
  tscFrequency?: Int64
}

/** Devices that were claimed. */
export interface DeviceStatus {
  /**
   * Graphics processors.
   * @listType atomic
   */
  gpuStatuses?: DeviceStatusInfo[]
  /**
   * Other devices.
   * @listType atomic
   */
  hostDeviceStatuses?: DeviceStatusInfo[]
}

/** A device that was claimed. */
export interface DeviceStatusInfo {
  /** Name of the device. */
  name: string
  /** How it was claimed. */
  deviceResourceClaimStatus?: DeviceResourceClaimStatus
}

/** How a device was claimed. */
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
  /** PCI address. */
  pciAddress?: string
  /** UUID of a mediated device. */
  mDevUUID?: string
}
