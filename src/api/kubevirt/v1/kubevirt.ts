import type { Affinity, Toleration } from '#api/core/v1/affinity.ts'
import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration, Int32, Int64, Quantity, RawObject, Time } from '#api/scalars.ts'

/** Installs the whole system and configures it. */
export interface KubeVirt extends ApiObject {
  /** Desired state of the installation. */
  spec: KubeVirtSpec
  /** Observed state of the installation. */
  status?: KubeVirtStatus
}

/** Desired state of an installation. */
export interface KubeVirtSpec {
  /** Tag of the images; the operator's own when absent. */
  imageTag?: string
  /** Registry of the images; the operator's own when absent. */
  imageRegistry?: string
  /** Always, Never or IfNotPresent, for the system's own pods. */
  imagePullPolicy?: string
  /**
   * Registry credentials.
   * @listType atomic
   */
  imagePullSecrets?: LocalObjectReference[]
  /**
   * Namespace of Prometheus.
   * @notActedOn
   */
  monitorNamespace?: string
  /**
   * Namespace of the service monitor.
   * @notActedOn
   */
  serviceMonitorNamespace?: string
  /**
   * Service account of Prometheus.
   * @notActedOn
   */
  monitorAccount?: string
  /** Policy for running guests when the system is upgraded. */
  workloadUpdateStrategy?: KubeVirtWorkloadUpdateStrategy
  /** RemoveWorkloads or BlockUninstallIfWorkloadsExist. */
  uninstallStrategy?: string
  /** How certificates are renewed. */
  certificateRotateStrategy?: KubeVirtCertificateRotateStrategy
  /** Version of the product that this is a part of. */
  productVersion?: string
  /** Name of the product that this is a part of. */
  productName?: string
  /** Component of the product that this is. */
  productComponent?: string
  /**
   * Port for synchronization between clusters.
   * @notActedOn
   */
  synchronizationPort?: string
  /** Settings of the system. */
  configuration?: KubeVirtConfiguration
  /** Where the system's own pods go. */
  infra?: ComponentConfig
  /** Where node agents and guests go. */
  workloads?: ComponentConfig
  /**
   * Where the synchronization controller goes.
   * @notActedOn
   */
  synchronizationPlacement?: ComponentConfig
  /** Changes of what is installed. */
  customizeComponents?: CustomizeComponents
}

/** Policy for running guests when the system is upgraded. */
export interface KubeVirtWorkloadUpdateStrategy {
  /**
   * LiveMigrate and Evict, in the order of preference; none leaves guests alone.
   * @listType atomic
   */
  workloadUpdateMethods?: string[]
  /** How many guests are evicted at a time; 10 when absent. */
  batchEvictionSize?: Int64
  /** Pause between two batches; a minute when absent. */
  batchEvictionInterval?: Duration
}

/** How certificates are renewed. */
export interface KubeVirtCertificateRotateStrategy {
  /** For those that the system signs itself. */
  selfSigned?: KubeVirtSelfSignConfiguration
}

/** How certificates that the system signs itself are renewed. */
export interface KubeVirtSelfSignConfiguration {
  /** Deprecated. */
  caRotateInterval?: Duration
  /** Deprecated. */
  certRotateInterval?: Duration
  /** Deprecated. */
  caOverlapInterval?: Duration
  /** The authority. */
  ca?: CertConfig
  /** The servers. */
  server?: CertConfig
}

/** Life of a certificate. */
export interface CertConfig {
  /** How long it is valid. */
  duration?: Duration
  /** How long before its end it is renewed. */
  renewBefore?: Duration
}

/**
 * Settings of the system.
 * @preserveUnknownFields
 */
export interface KubeVirtConfiguration {
  /** Processor model of guests that name none. */
  cpuModel?: string
  /** Processors that are requested for each virtual one. */
  cpuRequest?: Quantity
  /** Settings for developers, with the feature gates. */
  developerConfiguration?: DeveloperConfiguration
  /** Eviction strategy of guests that name none. */
  evictionStrategy?: string
  /**
   * Pull policy of the images of guests.
   * @notActedOn
   */
  imagePullPolicy?: string
  /** Settings of migrations. */
  migrations?: MigrationConfiguration
  /** Machine type of guests that name none; deprecated. */
  machineType?: string
  /** Settings of networks. */
  network?: NetworkConfiguration
  /** Settings by architecture. */
  architectureConfiguration?: ArchitectureConfiguration
  /** Whether the bundled instance types are installed. */
  commonInstancetypesDeployment?: CommonInstancetypesDeployment
  /** How machines refer to instance types. */
  instancetype?: InstancetypeConfiguration
  /**
   * When changes of a machine reach its running guest; LiveUpdate when absent.
   * @enum Stage,LiveUpdate
   */
  vmRolloutStrategy?: 'Stage' | 'LiveUpdate' | null
  /** Limits of changes to running guests. */
  liveUpdateConfiguration?: LiveUpdateConfiguration
  /**
   * Storage class for the state of devices.
   * @notActedOn
   */
  vmStateStorageClass?: string
  /**
   * Oldest processor model that nodes are labelled with.
   * @notActedOn
   */
  minCPUModel?: string
  /**
   * Further settings of guests.
   * @notActedOn
   */
  virtualMachineOptions?: RawObject
  /**
   * Settings of the API server.
   * @notActedOn
   */
  apiConfiguration?: RawObject
  /**
   * Settings of the controllers.
   * @notActedOn
   */
  controllerConfiguration?: RawObject
  /**
   * Settings of the node agents.
   * @notActedOn
   */
  handlerConfiguration?: RawObject
  /**
   * Settings of webhooks.
   * @notActedOn
   */
  webhookConfiguration?: RawObject
  /**
   * Settings of TLS.
   * @notActedOn
   */
  tlsConfiguration?: RawObject
  /**
   * Settings of SELinux.
   * @notActedOn
   */
  selinuxLauncherType?: string
  /**
   * Serial number and name that guests see.
   * @notActedOn
   */
  smbios?: RawObject
  /**
   * Devices that guests may use.
   * @notActedOn
   */
  permittedHostDevices?: RawObject
  /**
   * Mediated devices.
   * @notActedOn
   */
  mediatedDevicesConfiguration?: RawObject
  /**
   * Resources of the containers that stand by a guest.
   * @notActedOn
   */
  supportContainerResources?: RawObject[]
  /**
   * Versions of guest agents that are known to work; deprecated.
   * @notActedOn
   */
  supportedGuestAgentVersions?: string[]
  /**
   * Processor models that no guest may have.
   * @notActedOn
   */
  obsoleteCPUModels?: Record<string, boolean>
  /**
   * Memory pages that are shared between guests.
   * @notActedOn
   */
  ksmConfiguration?: RawObject
  /**
   * Namespaces whose guests get a limit on processors.
   * @notActedOn
   */
  autoCPULimitNamespaceLabelSelector?: RawObject
  /**
   * Seconds between two reports of the memory balloon; 0 is none.
   * @notActedOn
   */
  memBalloonStatsPeriod?: Int32
}

/**
 * Settings for developers.
 * @preserveUnknownFields
 */
export interface DeveloperConfiguration {
  /**
   * Features that are switched on.
   * @listType atomic
   */
  featureGates?: string[]
  /**
   * Features that are switched off.
   * @listType atomic
   */
  disabledFeatureGates?: string[]
  /** Virtual processors for each physical one. */
  cpuAllocationRatio?: Int32
  /** Percentage of guests' memory that is requested. */
  memoryOvercommit?: Int32
  /**
   * Runs guests without hardware support.
   * @notActedOn
   */
  useEmulation?: boolean
  /**
   * Verbosity of the logs.
   * @notActedOn
   */
  logVerbosity?: RawObject
}

/**
 * Settings of migrations.
 * @preserveUnknownFields
 */
export interface MigrationConfiguration {
  /** Most migrations at a time. */
  parallelMigrationsPerCluster?: Int32
  /** Most migrations away from a node at a time. */
  parallelOutboundMigrationsPerNode?: Int32
  /** Bandwidth of one migration. */
  bandwidthPerMigration?: Quantity
  /** Seconds for each GiB until a migration is given up. */
  completionTimeoutPerGiB?: Int64
  /** Seconds without progress until a migration is given up. */
  progressTimeout?: Int64
  /** Lets the guest converge by slowing it down. */
  allowAutoConverge?: boolean
  /** Lets the guest go on at the target before all of its memory is there. */
  allowPostCopy?: boolean
  /** Lets the guest be stopped so that its migration ends. As allowPostCopy when absent. */
  allowWorkloadDisruption?: boolean
  /** Milliseconds that the guest may stand still at the end. */
  maxDowntimeMs?: Int64
  /** Switches off encryption. */
  disableTLS?: boolean
  /** Network for migrations. */
  network?: string
}

/**
 * Settings of networks.
 * @preserveUnknownFields
 */
export interface NetworkConfiguration {
  /** Binding of interfaces that name none: masquerade or bridge. */
  defaultNetworkInterface?: string
  /**
   * Whether the pod network may be bridged.
   * @notActedOn
   */
  permitBridgeInterfaceOnPodNetwork?: boolean
  /**
   * Binding plug-ins by name.
   * @notActedOn
   */
  binding?: RawObject
}

/** Settings by architecture. */
export interface ArchitectureConfiguration {
  /** x86-64. */
  amd64?: ArchitectureSpecificConfiguration
  /** Arm, 64 bits. */
  arm64?: ArchitectureSpecificConfiguration
  /** IBM Z. */
  s390x?: ArchitectureSpecificConfiguration
  /** Power. */
  ppc64le?: ArchitectureSpecificConfiguration
  /** Architecture of guests that name none. */
  defaultArchitecture?: string
}

/** Settings of one architecture. */
export interface ArchitectureSpecificConfiguration {
  /**
   * Path of the EFI firmware.
   * @notActedOn
   */
  ovmfPath?: string
  /**
   * Machine types that guests may have.
   * @listType atomic
   * @notActedOn
   */
  emulatedMachines?: string[]
  /** Machine type of guests that name none. */
  machineType?: string
}

/** Whether the bundled instance types are installed. */
export interface CommonInstancetypesDeployment {
  /** On or off; on when absent. */
  enabled?: boolean
}

/** How machines refer to instance types. */
export interface InstancetypeConfiguration {
  /**
   * Whether they go on naming them, or are written out: when new, or all; reference when absent.
   * @enum reference,expand,expandAll
   */
  referencePolicy?: 'reference' | 'expand' | 'expandAll' | null
}

/** Limits of changes to running guests. */
export interface LiveUpdateConfiguration {
  /** Largest ratio of most to present processors and memory. */
  maxHotplugRatio?: Int32
  /** Most sockets. */
  maxCpuSockets?: Int32
  /** Most memory. */
  maxGuest?: Quantity
}

/** Where pods go. */
export interface ComponentConfig {
  /** Rules about nodes. */
  nodePlacement?: NodePlacement
  /** How many; for the API server and the controllers. */
  replicas?: Int32
}

/** Rules about nodes. */
export interface NodePlacement {
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Rules about where the pod goes. */
  affinity?: Affinity
  /** Taints that the pod bears. */
  tolerations?: Toleration[]
}

/** Changes of what is installed. */
export interface CustomizeComponents {
  /**
   * Patches of objects.
   * @listType atomic
   */
  patches?: CustomizeComponentsPatch[]
  /** Flags of programs. */
  flags?: Flags
}

/** A patch of an object. */
export interface CustomizeComponentsPatch {
  /**
   * Name of the object.
   * @minLength 1
   */
  resourceName: string
  /**
   * Kind of the object.
   * @minLength 1
   */
  resourceType: string
  /** The patch, as JSON. */
  patch: string
  /** json, merge or strategic. */
  type: string
}

/** Flags of programs. */
export interface Flags {
  /** virt-api. */
  api?: Record<string, string>
  /** virt-controller. */
  controller?: Record<string, string>
  /** virt-handler. */
  handler?: Record<string, string>
}

/** Observed state of an installation. */
export interface KubeVirtStatus {
  /** Deploying, Deployed, Deleting or Deleted. */
  phase?: string
  /** The state of the installation, by aspect. */
  conditions?: KubeVirtCondition[]
  /** Version of the operator. */
  operatorVersion?: string
  /** Registry that is being installed from. */
  targetKubeVirtRegistry?: string
  /** Version that is being installed. */
  targetKubeVirtVersion?: string
  /** Settings that are being installed. */
  targetDeploymentConfig?: string
  /** Identifies what is being installed. */
  targetDeploymentID?: string
  /** Registry that was installed from. */
  observedKubeVirtRegistry?: string
  /** Version that is installed. */
  observedKubeVirtVersion?: string
  /** Settings that are installed. */
  observedDeploymentConfig?: string
  /** Identifies what is installed. */
  observedDeploymentID?: string
  /** Running guests with an old launcher. */
  outdatedVirtualMachineInstanceWorkloads?: Int64
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** Architecture of guests that name none. */
  defaultArchitecture?: string
  /**
   * Generations of what is installed.
   * @listType atomic
   */
  generations?: GenerationStatus[]
  /**
   * Addresses for synchronization between clusters.
   * @listType atomic
   */
  synchronizationAddresses?: string[]
  /** Status of the installation that steadyvm adds to the fields of KubeVirt. */
  steadyvm?: KubeVirtSteadyStatus
}

/** Status of an installation that steadyvm adds. */
export interface KubeVirtSteadyStatus {
  /** The copies of instance types and preferences that machines and snapshots keep. */
  revisions?: RevisionsStatus
  /** Updates of guests to the launcher of this release. */
  workloadUpdate?: WorkloadUpdateStatus
  /** The way to another version; absent when the system is where it is to be. */
  upgrade?: UpgradeStatus
  /** The version that did not work; it is tried again when the spec changes. */
  rejected?: RejectedVersion
  /** Findings before the last upgrade, or against the requested one. */
  plan?: UpgradePlan
}

/** How updates of guests to the launcher of this release stand. */
export interface WorkloadUpdateStatus {
  /** Image that guests should run in. */
  image?: string
  /** When the last batch was evicted for it. */
  lastBatchTime?: Time
  /** Guests that are still to be updated, by what they wait for. */
  waiting?: Record<string, Int64>
}

/** A version that did not work. */
export interface RejectedVersion {
  /** The version. */
  version: string
  /** Identifies what was to be installed. */
  deploymentID: string
  /** The generation of the spec that asked for it. */
  generation: Int64
  /** Error message. */
  message: string
}

/** A system on its way to another version. */
export interface UpgradeStatus {
  /** Version that it comes from; empty when it is being installed. */
  from: string
  /** Version that it goes to. */
  to: string
  /** Preflight, Install, Expand, NodeAgents, Controllers, API, Workloads or Contract. */
  stage: string
  /** When it began. */
  startedAt: Time
  /** When the stage began. */
  stageStartedAt: Time
  /** How far the stage is. */
  progress: UpgradeProgress
  /**
   * Nodes that are left out because they are not ready; they follow when they are.
   * @listType atomic
   */
  skipped?: string[]
  /** Last error. */
  lastError?: string
  /**
   * Until when what only older versions need is kept. The components are all of the new version
   * then.
   */
  contractAt?: Time
}

/** Result of the preflight checks of an upgrade. */
export interface UpgradePlan {
  /** Version that it comes from. */
  from: string
  /** Version that it would go to. */
  to: string
  /** Identifies what would be installed. */
  deploymentID: string
  /**
   * Whether something was found that speaks against it: nothing has been changed then, and it is
   * looked again from time to time.
   */
  refused: boolean
  /**
   * Findings.
   * @listType atomic
   */
  findings: UpgradeFinding[]
  /**
   * Steps of the upgrade, in order.
   * @listType atomic
   */
  steps?: UpgradeStep[]
  /**
   * Checks that could not be made.
   * @listType atomic
   */
  gaps?: string[]
}

/** A part of an upgrade. */
export interface UpgradeStep {
  /** The stage. */
  stage: string
  /** Description of the step. */
  what: string
  /** To how many objects. */
  count: Int64
  /** How long that takes by and large. */
  seconds: Int64
}

/** Something that an administrator should know before an upgrade. */
export interface UpgradeFinding {
  /** Names the kind of finding, and stays the same from release to release. */
  id: string
  /** Object of the finding, as kubectl names it. */
  object?: string
  /** Finding and its consequence. */
  message: string
  /** The command, or what else makes it go away. */
  fix?: string
  /** Whether the upgrade does not begin because of it. */
  blocks: boolean
}

/** How far a stage of an upgrade is. */
export interface UpgradeProgress {
  /** How many pods there are to be. */
  desired: Int64
  /** How many are of the new version. */
  updated: Int64
  /** How many of those are ready. */
  ready: Int64
}

/** How the copies of instance types and preferences are. */
export interface RevisionsStatus {
  /** API version that they are to hold. */
  version: string
  /** own or shared: whether each machine has its own, or all with the same content share one. */
  sharing: string
  /** How many there are. */
  total: Int64
  /** How many are as they are to be. */
  upToDate: Int64
  /**
   * How many hold another version, are shared or not against what is wanted, or are labelled as
   * what they are not.
   */
  outdated: Int64
  /** How many have no owner that exists. */
  orphaned: Int64
  /** Number of revisions that cannot be decoded. */
  undecodable: Int64
  /** How many are named and not there. */
  missing: Int64
  /**
   * How many there are of each API version.
   * @listType map key=version
   */
  versions?: RevisionsOfVersion[]
}

/** How many copies hold an API version. */
export interface RevisionsOfVersion {
  /** The API version. */
  version: string
  /** How many hold it. */
  count: Int64
}

/** One aspect of the state of an installation. */
export interface KubeVirtCondition {
  /** Name of the aspect: Created, Available, Progressing, Degraded, Synchronized. */
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
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
}

/** Generation of something that is installed. */
export interface GenerationStatus {
  /** API group. */
  group: string
  /** Resource. */
  resource: string
  /** Namespace. */
  namespace?: string
  /** Name. */
  name: string
  /** The generation. */
  lastGeneration: Int64
  /** Hash of the content of objects without generation. */
  hash?: string
}
