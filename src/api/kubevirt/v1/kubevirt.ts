import type { Affinity, Toleration } from '#api/core/v1/affinity.ts'
import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Duration, Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type {
  ReloadableComponentConfiguration,
  SeccompConfiguration,
  SupportContainerResources,
} from './configuration/component-settings.ts'
import type { MediatedDevicesConfiguration, PermittedHostDevices } from './configuration/devices.ts'
import type {
  ChangedBlockTrackingSelectors,
  ConfidentialComputeConfiguration,
  HypervisorConfiguration,
  InterfaceBindingPlugin,
  KSMConfiguration,
  PersistentReservationConfiguration,
  SMBiosConfiguration,
  VirtTemplateDeployment,
  VirtualMachineOptions,
} from './configuration/guests.ts'

/** Installation of the control plane, and its configuration. */
export interface KubeVirt extends ApiObject {
  /** Desired state of the installation. */
  spec: KubeVirtSpec
  /** Observed state of the installation. */
  status?: KubeVirtStatus
}

/** Desired state of an installation. */
export interface KubeVirtSpec {
  /** Tag of the component images; the tag of the operator's image when absent. */
  imageTag?: string
  /** Registry of the component images; the registry of the operator's image when absent. */
  imageRegistry?: string
  /** Pull policy for the images of component pods: Always, Never or IfNotPresent. */
  imagePullPolicy?: string
  /**
   * Secrets with registry credentials.
   * @listType atomic
   */
  imagePullSecrets?: LocalObjectReference[]
  /**
   * Namespace of the service account of Prometheus; openshift-monitoring or monitoring when absent,
   * where the account is.
   */
  monitorNamespace?: string
  /** Namespace of the ServiceMonitor; that of Prometheus when absent. */
  serviceMonitorNamespace?: string
  /** Service account of Prometheus; prometheus-k8s when absent. */
  monitorAccount?: string
  /** Policy for running VMIs when the installation is upgraded. */
  workloadUpdateStrategy?: KubeVirtWorkloadUpdateStrategy
  /**
   * Policy for an uninstallation while workloads exist: RemoveWorkloads or
   * BlockUninstallIfWorkloadsExist.
   */
  uninstallStrategy?: string
  /** Rotation of certificates. */
  certificateRotateStrategy?: KubeVirtCertificateRotateStrategy
  /** Version of the product that the installation is a part of. */
  productVersion?: string
  /** Name of the product that the installation is a part of. */
  productName?: string
  /** Name of the component of the product that the installation represents. */
  productComponent?: string
  /**
   * Port for synchronization between clusters.
   * @notActedOn
   */
  synchronizationPort?: string
  /** Configuration of the components and of VMs. */
  configuration?: KubeVirtConfiguration
  /** Placement and replicas of the control-plane components. */
  infra?: ComponentConfig
  /** Placement of the node agents and VMIs. */
  workloads?: ComponentConfig
  /**
   * Placement of the synchronization controller.
   * @notActedOn
   */
  synchronizationPlacement?: ComponentConfig
  /** Customizations of the installed objects. */
  customizeComponents?: CustomizeComponents
}

/** Policy for running VMIs when the installation is upgraded. */
export interface KubeVirtWorkloadUpdateStrategy {
  /**
   * Methods for the update of running VMIs: LiveMigrate and Evict, in the order of preference.
   * Running VMIs are not updated without a method.
   * @listType atomic
   */
  workloadUpdateMethods?: string[]
  /** Number of VMIs that are evicted in one batch; 10 when absent. */
  batchEvictionSize?: Int64
  /** Interval between two batches; one minute when absent. */
  batchEvictionInterval?: Duration
}

/** Rotation of certificates. */
export interface KubeVirtCertificateRotateStrategy {
  /** Rotation of certificates that the installation signs itself. */
  selfSigned?: KubeVirtSelfSignConfiguration
}

/** Rotation of certificates that the installation signs itself. */
export interface KubeVirtSelfSignConfiguration {
  /** Rotation interval of the CA certificate. Deprecated. */
  caRotateInterval?: Duration
  /** Rotation interval of the server certificates. Deprecated. */
  certRotateInterval?: Duration
  /** Overlap of two CA certificates. Deprecated. */
  caOverlapInterval?: Duration
  /** Validity and renewal of the CA certificate. */
  ca?: CertConfig
  /** Validity and renewal of the server certificates. */
  server?: CertConfig
}

/** Validity and renewal of a certificate. */
export interface CertConfig {
  /** Validity period of the certificate. */
  duration?: Duration
  /** Time between the renewal and the expiry of the certificate. */
  renewBefore?: Duration
}

/**
 * Configuration of the components and of VMs.
 * @preserveUnknownFields
 */
export interface KubeVirtConfiguration {
  /** CPU model of VMIs without one. */
  cpuModel?: string
  /** CPU request of VMIs without one; derived from the number of virtual CPUs when absent. */
  cpuRequest?: Quantity
  /** Developer settings, including the feature gates. */
  developerConfiguration?: DeveloperConfiguration
  /** Eviction strategy of VMIs without one. */
  evictionStrategy?: string
  /**
   * Pull policy for the images of VMIs.
   * @notActedOn
   */
  imagePullPolicy?: string
  /** Migration settings. */
  migrations?: MigrationConfiguration
  /** Machine type of VMIs without one; deprecated. */
  machineType?: string
  /** Network settings. */
  network?: NetworkConfiguration
  /** Settings by architecture. */
  architectureConfiguration?: ArchitectureConfiguration
  /**
   * Installation of the bundled instance types.
   * @nullable
   */
  commonInstancetypesDeployment?: CommonInstancetypesDeployment | null
  /**
   * Policy for the references of VMs to instance types.
   * @nullable
   */
  instancetype?: InstancetypeConfiguration | null
  /**
   * Policy for the rollout of VM changes to a running guest: at the next start (Stage), or to the
   * running guest if possible (LiveUpdate); LiveUpdate when absent.
   * @enum Stage,LiveUpdate
   */
  vmRolloutStrategy?: 'Stage' | 'LiveUpdate' | null
  /** Limits for the update of running guests. */
  liveUpdateConfiguration?: LiveUpdateConfiguration
  /**
   * Storage class for the persistent state of devices.
   * @notActedOn
   */
  vmStateStorageClass?: string
  /**
   * Minimum CPU model: the oldest CPU model in the labels of nodes.
   * @notActedOn
   */
  minCPUModel?: string
  /**
   * Further VM options.
   * @notActedOn
   */
  virtualMachineOptions?: VirtualMachineOptions
  /**
   * Settings of the API server.
   * @notActedOn
   */
  apiConfiguration?: ReloadableComponentConfiguration
  /**
   * Settings of virt-controller.
   * @notActedOn
   */
  controllerConfiguration?: ReloadableComponentConfiguration
  /**
   * Settings of virt-handler, the node agent.
   * @notActedOn
   */
  handlerConfiguration?: ReloadableComponentConfiguration
  /**
   * Settings of webhooks.
   * @notActedOn
   */
  webhookConfiguration?: ReloadableComponentConfiguration
  /** TLS settings of virt-api. */
  tlsConfiguration?: TLSConfiguration
  /**
   * SELinux settings of the launcher.
   * @notActedOn
   */
  selinuxLauncherType?: string
  /**
   * Serial number and name in the SMBIOS data of guests.
   * @notActedOn
   */
  smbios?: SMBiosConfiguration
  /**
   * Host devices that VMs may use.
   * @notActedOn
   */
  permittedHostDevices?: PermittedHostDevices
  /**
   * Configuration of mediated devices.
   * @notActedOn
   */
  mediatedDevicesConfiguration?: MediatedDevicesConfiguration
  /**
   * Compute resources of the supplementary containers of a VMI.
   * @listType map key=type
   * @notActedOn
   */
  supportContainerResources?: SupportContainerResources[]
  /**
   * Supported versions of the guest agent; deprecated.
   * @notActedOn
   */
  supportedGuestAgentVersions?: string[]
  /**
   * Obsolete CPU models, which VMIs must not use.
   * @notActedOn
   */
  obsoleteCPUModels?: Record<string, boolean>
  /**
   * Settings for memory pages that guests share (kernel samepage merging, KSM).
   * @notActedOn
   */
  ksmConfiguration?: KSMConfiguration
  /**
   * Selector of the namespaces whose VMIs get a CPU limit.
   * @notActedOn
   */
  autoCPULimitNamespaceLabelSelector?: LabelSelector
  /**
   * Interval between two reports of memory balloon statistics, in seconds; 0 disables the reports.
   */
  memBalloonStatsPeriod?: Int32
  /**
   * Runtime class of launcher pods.
   * @notActedOn
   */
  defaultRuntimeClass?: string
  /**
   * Seccomp profile of launcher pods.
   * @notActedOn
   */
  seccompConfiguration?: SeccompConfiguration
  /**
   * VMs whose changed blocks are tracked for incremental backups.
   * @nullable
   * @notActedOn
   */
  changedBlockTrackingLabelSelectors?: ChangedBlockTrackingSelectors | null
  /**
   * Hypervisors of the nodes.
   * @listType atomic
   * @maxItems 1
   * @notActedOn
   */
  hypervisors?: HypervisorConfiguration[]
  /**
   * Aggregation of KubeVirt's cluster roles to those of Kubernetes.
   * @enum AggregateToDefault,Manual
   * @notActedOn
   */
  roleAggregationStrategy?: string
  /**
   * Persistent reservations of SCSI disks.
   * @nullable
   * @notActedOn
   */
  persistentReservationConfiguration?: PersistentReservationConfiguration | null
  /**
   * Factor of the memory that a launcher pod needs in addition to the guest's.
   * @notActedOn
   */
  additionalGuestMemoryOverheadRatio?: string
  /**
   * Guests whose memory the host cannot read.
   * @nullable
   * @notActedOn
   */
  confidentialCompute?: ConfidentialComputeConfiguration | null
  /** Machine types that VMIs may have. Deprecated: see architectureConfiguration. */
  emulatedMachines?: string[]
  /**
   * Path of the EFI firmware. Deprecated: see architectureConfiguration.
   * @notActedOn
   */
  ovmfPath?: string
  /**
   * Templates of VMs.
   * @nullable
   * @notActedOn
   */
  virtTemplateDeployment?: VirtTemplateDeployment | null
  /**
   * Maximum number of VMIs on a node.
   * @format int32
   * @notActedOn
   */
  virtualMachineInstancesPerNode?: Int32
}

/**
 * Developer settings.
 * @preserveUnknownFields
 */
export interface DeveloperConfiguration {
  /**
   * Enabled feature gates.
   * @listType atomic
   */
  featureGates?: string[]
  /**
   * Disabled feature gates.
   * @listType atomic
   */
  disabledFeatureGates?: string[]
  /** Number of virtual CPUs for each requested physical CPU. */
  cpuAllocationRatio?: Int32
  /**
   * Guest memory as a percentage of the memory request; 150 requests two thirds of the guest
   * memory.
   * @minimum 10
   */
  memoryOvercommit?: Int32
  /**
   * Runs guests with software emulation, without hardware virtualization. Otherwise guests of a
   * cluster use KVM where any of its nodes has it. Not acted on in machine mode.
   */
  useEmulation?: boolean
  /** Verbosity of the component logs. */
  logVerbosity?: LogVerbosity
  /**
   * Limits of the check of disk images.
   * @notActedOn
   */
  diskVerification?: DiskVerification
  /**
   * Profiling of the components.
   * @notActedOn
   */
  clusterProfiler?: boolean
  /**
   * Lowest frequency of the time stamp counter that guests may need, in Hz.
   * @notActedOn
   */
  minimumClusterTSCFrequency?: Int64
  /**
   * Bytes of a claim that a disk image leaves free.
   * @notActedOn
   */
  minimumReservePVCBytes?: Int64
  /**
   * Labels of the nodes for VMIs. Deprecated: see workloads.nodePlacement.
   * @notActedOn
   */
  nodeSelectors?: Record<string, string>
  /**
   * Percentage by which a claim may be smaller than requested.
   * @notActedOn
   */
  pvcTolerateLessSpaceUpToPercent?: Int32
}

/** Limits of the check of disk images. */
export interface DiskVerification {
  /** Maximum memory of the check. */
  memoryLimit: Quantity
}

/**
 * Verbosity of the component logs, 2 when absent: a component logs details from 3 on.
 * @preserveUnknownFields
 */
export interface LogVerbosity {
  /** Verbosity of virt-operator. */
  virtOperator?: Int32
  /** Verbosity of virt-api. */
  virtAPI?: Int32
  /** Verbosity of virt-controller. */
  virtController?: Int32
  /** Verbosity of virt-handler, the node agent. */
  virtHandler?: Int32
  /**
   * Verbosity of launchers.
   * @notActedOn
   */
  virtLauncher?: Int32
  /**
   * Verbosity of the synchronization controller.
   * @notActedOn
   */
  virtSynchronizationController?: Int32
  /** Verbosity of the node agent by the name of its node; it wins over virtHandler. */
  nodeVerbosity?: Record<string, Int32>
}

/**
 * TLS settings of listeners.
 * @preserveUnknownFields
 */
export interface TLSConfiguration {
  /**
   * Oldest protocol version.
   * @enum VersionTLS10,VersionTLS11,VersionTLS12,VersionTLS13
   */
  minTLSVersion?: string
  /**
   * Ciphers of protocol versions before 1.3, by their IANA names; all that are safe when empty.
   * @listType set
   */
  ciphers?: string[]
}

/**
 * Migration settings.
 * @preserveUnknownFields
 */
export interface MigrationConfiguration {
  /** Maximum number of parallel migrations in the cluster. */
  parallelMigrationsPerCluster?: Int32
  /** Maximum number of parallel outbound migrations of a node. */
  parallelOutboundMigrationsPerNode?: Int32
  /** Maximum bandwidth of one migration. */
  bandwidthPerMigration?: Quantity
  /** Timeout of a migration, in seconds for each GiB. */
  completionTimeoutPerGiB?: Int64
  /** Timeout of a migration without progress, in seconds. */
  progressTimeout?: Int64
  /** Allows the throttling of a guest so that its migration converges. */
  allowAutoConverge?: boolean
  /** Allows the guest to run on the target node before all of its memory is copied (post-copy). */
  allowPostCopy?: boolean
  /**
   * Allows the guest to be paused so that its migration completes. Has the value of allowPostCopy
   * when absent.
   */
  allowWorkloadDisruption?: boolean
  /**
   * Maximum downtime of the guest at the end of a migration, in milliseconds.
   * @minimum 1
   * @maximum 2000000
   */
  maxDowntimeMs?: Int64
  /** Disables the TLS encryption of migrations. */
  disableTLS?: boolean
  /** Name of the network for migrations. */
  network?: string
  /**
   * Gives the launcher at the target the SELinux level of that at the source.
   * @notActedOn
   */
  matchSELinuxLevelOnMigration?: boolean
  /**
   * Key of the taint of nodes that are drained. Deprecated.
   * @notActedOn
   */
  nodeDrainTaintKey?: string
  /**
   * Allows migrations that may corrupt the guest.
   * @notActedOn
   */
  unsafeMigrationOverride?: boolean
  /**
   * Seconds that a migration waits for the end of operations on utility volumes.
   * @notActedOn
   */
  utilityVolumesTimeout?: Int64
}

/**
 * Network settings.
 * @preserveUnknownFields
 */
export interface NetworkConfiguration {
  /** Binding of interfaces without one: masquerade or bridge. */
  defaultNetworkInterface?: string
  /** Permits the bridge binding on the pod network; true when absent. */
  permitBridgeInterfaceOnPodNetwork?: boolean
  /**
   * Network binding plugins by name.
   * @notActedOn
   */
  binding?: Record<string, InterfaceBindingPlugin>
  /**
   * Permits the slirp binding. Removed upstream.
   * @notActedOn
   */
  permitSlirpInterface?: boolean
}

/** Settings by architecture. */
export interface ArchitectureConfiguration {
  /** Settings for amd64 (x86-64). */
  amd64?: ArchitectureSpecificConfiguration
  /** Settings for arm64 (64-bit Arm). */
  arm64?: ArchitectureSpecificConfiguration
  /** Settings for s390x (IBM Z). */
  s390x?: ArchitectureSpecificConfiguration
  /** Settings for ppc64le (Power). */
  ppc64le?: ArchitectureSpecificConfiguration
  /** Architecture of VMIs without one. */
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
   * Machine types that VMIs may have.
   * @listType atomic
   */
  emulatedMachines?: string[]
  /** Machine type of VMIs without one. */
  machineType?: string
}

/** Installation of the bundled instance types. */
export interface CommonInstancetypesDeployment {
  /**
   * True if the bundled instance types are installed; true when absent.
   * @nullable
   */
  enabled?: boolean | null
}

/** Policy for the references of VMs to instance types. */
export interface InstancetypeConfiguration {
  /**
   * Policy for the references of VMs to instance types: references are kept (reference), or
   * replaced by the values of the instance type in new VMs (expand) or in all VMs (expandAll);
   * reference when absent.
   * @enum reference,expand,expandAll
   */
  referencePolicy?: 'reference' | 'expand' | 'expandAll' | null
}

/** Limits for the update of running guests. */
export interface LiveUpdateConfiguration {
  /** Maximum ratio of the sockets and memory after hotplug to those at the start of the guest. */
  maxHotplugRatio?: Int32
  /** Maximum number of sockets after CPU hotplug. */
  maxCpuSockets?: Int32
  /** Maximum size of the guest's memory after memory hotplug. */
  maxGuest?: Quantity
}

/** Placement and replicas of components. */
export interface ComponentConfig {
  /** Node placement of the pods. */
  nodePlacement?: NodePlacement
  /** Number of replicas, for the API server and the controllers. */
  replicas?: Int32
}

/** Node placement of pods. */
export interface NodePlacement {
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Affinity of the pod. */
  affinity?: Affinity
  /** Taints that the pod tolerates. */
  tolerations?: Toleration[]
}

/** Customizations of the installed objects. */
export interface CustomizeComponents {
  /**
   * Patches for installed objects.
   * @listType atomic
   */
  patches?: CustomizeComponentsPatch[]
  /** Command-line flags of components. */
  flags?: Flags
}

/** Patch for an installed object. */
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
  /** Patch in JSON. */
  patch: string
  /** Type of the patch: json, merge or strategic. */
  type: string
}

/** Command-line flags of components. */
export interface Flags {
  /** Flags of virt-api. */
  api?: Record<string, string>
  /** Flags of virt-controller. */
  controller?: Record<string, string>
  /** Flags of virt-handler. */
  handler?: Record<string, string>
}

/** Observed state of an installation. */
export interface KubeVirtStatus {
  /** Phase of the installation: Deploying, Deployed, Deleting or Deleted. */
  phase?: string
  /** Conditions of the installation. */
  conditions?: KubeVirtCondition[]
  /** Version of the operator. */
  operatorVersion?: string
  /** Image registry of the target deployment. */
  targetKubeVirtRegistry?: string
  /** Version of the target deployment. */
  targetKubeVirtVersion?: string
  /** Configuration of the target deployment. */
  targetDeploymentConfig?: string
  /** ID of the target deployment. */
  targetDeploymentID?: string
  /** Image registry of the installed deployment. */
  observedKubeVirtRegistry?: string
  /** Installed version. */
  observedKubeVirtVersion?: string
  /** Configuration of the installed deployment. */
  observedDeploymentConfig?: string
  /** ID of the installed deployment. */
  observedDeploymentID?: string
  /** Number of running VMIs with an outdated launcher. */
  outdatedVirtualMachineInstanceWorkloads?: Int64
  /** Generation of the spec that the status refers to. */
  observedGeneration?: Int64
  /** Architecture of VMIs without one. */
  defaultArchitecture?: string
  /**
   * Generations of the installed objects.
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
  /**
   * State of the revisions that hold copies of instance types and preferences for VMs and
   * snapshots.
   */
  revisions?: RevisionsStatus
  /** Progress of the update of VMIs to the launcher of this release. */
  workloadUpdate?: WorkloadUpdateStatus
  /** Progress of the upgrade to another version; absent when the target version is installed. */
  upgrade?: UpgradeStatus
  /** Course of the upgrade under way, or of the last one. */
  lastUpgrade?: UpgradeRecord
  /** Version whose deployment failed. The upgrade is retried when the spec changes. */
  rejected?: RejectedVersion
  /** Preflight findings of the last upgrade, or of the requested upgrade if it is refused. */
  plan?: UpgradePlan
}

/** Progress of the update of VMIs to the launcher of this release. */
export interface WorkloadUpdateStatus {
  /** Image of the launcher that VMIs should run in. */
  image?: string
  /** Time at which the last batch of VMIs was evicted for the image. */
  lastBatchTime?: Time
  /** Number of VMIs that are still to be updated, by the reason for the delay. */
  waiting?: Record<string, Int64>
}

/** Course of an upgrade. */
export interface UpgradeRecord {
  /** Version before the upgrade; empty for a new installation. */
  from: string
  /** Target version. */
  to: string
  /** ID of the trace with the spans of the upgrade: 32 hexadecimal digits. */
  traceID: string
  /** Time at which the upgrade started. */
  startedAt: Time
  /**
   * Time at which all components had the new version, or at which it was taken back. Guests follow.
   */
  completedAt?: Time
  /** Reason for which the version was taken back. */
  failure?: string
  /**
   * Stages in the order in which they were entered.
   * @listType atomic
   */
  stages: UpgradeStageRecord[]
}

/** Stage of an upgrade. */
export interface UpgradeStageRecord {
  /** Name of the stage, as in upgrade.stage. */
  stage: string
  /** Time at which the stage started. */
  startedAt: Time
  /** Time at which the next stage started, or the upgrade ended. */
  endedAt?: Time
}

/** Version whose deployment failed. */
export interface RejectedVersion {
  /** Version that failed. */
  version: string
  /** ID of the deployment that failed. */
  deploymentID: string
  /** Generation of the spec that requested the version. */
  generation: Int64
  /** Error message. */
  message: string
}

/** Progress of an upgrade to another version. */
export interface UpgradeStatus {
  /** Version before the upgrade; empty for a new installation. */
  from: string
  /** Target version. */
  to: string
  /**
   * Stage of the upgrade: Preflight, Install, Expand, NodeAgents, Controllers, API, Workloads or
   * Contract.
   */
  stage: string
  /** Time at which the upgrade started. */
  startedAt: Time
  /** Time at which the stage started. */
  stageStartedAt: Time
  /** Progress of the stage. */
  progress: UpgradeProgress
  /**
   * Names of the nodes that are skipped because they are not ready. Each node is upgraded once it
   * is ready.
   * @listType atomic
   */
  skipped?: string[]
  /** Last error. */
  lastError?: string
  /**
   * Time until which everything that only older versions need is kept. Set once all components have
   * the new version.
   */
  contractAt?: Time
}

/** Result of the preflight checks of an upgrade. */
export interface UpgradePlan {
  /** Version before the upgrade. */
  from: string
  /** Target version of the upgrade. */
  to: string
  /** ID of the target deployment. */
  deploymentID: string
  /**
   * True if a finding blocks the upgrade. In this case nothing has been changed, and the checks are
   * repeated from time to time.
   */
  refused: boolean
  /**
   * Findings of the checks.
   * @listType atomic
   */
  findings: UpgradeFinding[]
  /**
   * Steps of the upgrade, in order.
   * @listType atomic
   */
  steps?: UpgradeStep[]
  /**
   * Checks that could not be performed.
   * @listType atomic
   */
  gaps?: string[]
}

/** Step of an upgrade. */
export interface UpgradeStep {
  /** Stage of the upgrade. */
  stage: string
  /** Description of the step. */
  what: string
  /** Number of objects that the step applies to. */
  count: Int64
  /** Estimated duration of the step, in seconds. */
  seconds: Int64
}

/** Finding that is relevant to an administrator before an upgrade. */
export interface UpgradeFinding {
  /** Identifier of the kind of finding; stable across releases. */
  id: string
  /** Object of the finding, in the notation of kubectl. */
  object?: string
  /** Finding and its consequence. */
  message: string
  /** Command or other action that resolves the finding. */
  fix?: string
  /** True if the finding blocks the start of the upgrade. */
  blocks: boolean
}

/** Progress of a stage of an upgrade. */
export interface UpgradeProgress {
  /** Desired number of pods. */
  desired: Int64
  /** Number of pods with the new version. */
  updated: Int64
  /** Number of pods with the new version that are ready. */
  ready: Int64
}

/** State of the revisions that hold copies of instance types and preferences. */
export interface RevisionsStatus {
  /** API version in which revisions should be stored. */
  version: string
  /**
   * Sharing of revisions between VMs: each VM has its own revisions (own), or VMs share revisions
   * with the same content (shared).
   */
  sharing: string
  /** Number of revisions. */
  total: Int64
  /** Number of revisions in the desired state. */
  upToDate: Int64
  /**
   * Number of revisions that are stored in another API version, are shared or not shared contrary
   * to the setting, or have labels that do not match their content.
   */
  outdated: Int64
  /** Number of revisions without an existing owner. */
  orphaned: Int64
  /** Number of revisions that cannot be decoded. */
  undecodable: Int64
  /** Number of revisions that are referenced but do not exist. */
  missing: Int64
  /**
   * Number of revisions by API version.
   * @listType map key=version
   */
  versions?: RevisionsOfVersion[]
}

/** Number of revisions in one API version. */
export interface RevisionsOfVersion {
  /** API version of the revisions. */
  version: string
  /** Number of revisions in the API version. */
  count: Int64
}

/** Condition of an installation. */
export interface KubeVirtCondition {
  /** Type of the condition: Created, Available, Progressing, Degraded, Synchronized. */
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
  /** Generation of the spec that the condition refers to. */
  observedGeneration?: Int64
}

/** Generation of an installed object. */
export interface GenerationStatus {
  /** API group of the object. */
  group: string
  /** Resource of the object. */
  resource: string
  /** Namespace of the object. */
  namespace?: string
  /** Name of the object. */
  name: string
  /** Last generation of the object. */
  lastGeneration: Int64
  /** Hash of the content of an object without generation. */
  hash?: string
}
