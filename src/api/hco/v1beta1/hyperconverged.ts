import type { ResourceRequirements } from '#api/core/v1/container.ts'
import type { LogVerbosityConfiguration } from '#api/hco/v1/deployment.ts'
import type { KubeMacPoolConfig } from '#api/hco/v1/networking.ts'
import type { CertificateRotation, TLSSecurityProfile } from '#api/hco/v1/security.ts'
import type { HyperConvergedStatus } from '#api/hco/v1/status.ts'
import type { FilesystemOverhead, StorageImportConfig } from '#api/hco/v1/storage.ts'
import type {
  ChangedBlockTrackingSelectors,
  HigherWorkloadDensityConfiguration,
  HypervisorConfiguration,
  KSMConfiguration,
  LiveMigrationConfigurations,
  PermittedHostDevices,
  WorkloadUpdateStrategy,
} from '#api/hco/v1/virtualization.ts'
import type { DataImportCronTemplate } from '#api/hco/v1/workload-sources.ts'
import type {
  CommonInstancetypesDeployment,
  InstancetypeConfiguration,
  LiveUpdateConfiguration,
  NodePlacement,
} from '#api/kubevirt/v1/kubevirt.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int64, RawObject } from '#api/scalars.ts'
import type { FeatureGates } from './feature-gates.ts'

/** Configuration of all components of a virtualization platform in one object; use v1. */
export interface HyperConverged extends ApiObject {
  /** Desired state of the platform. */
  spec?: HyperConvergedSpec
  /** Observed state of the platform. */
  status?: HyperConvergedStatus
}

/** Desired state of a platform. */
export interface HyperConvergedSpec {
  /** Ignored: set the storage class of each claim. */
  localStorageClassName?: string
  /**
   * Limits of the components' requests to the API server.
   * @enum annotation,highBurst
   */
  tuningPolicy?: string
  /** Nodes of the control plane of the components. */
  infra?: PlacementConfig
  /** Nodes of guests and node agents. */
  workloads?: PlacementConfig
  /** Features that are switched on or off. */
  featureGates?: FeatureGates
  /** Live migration. */
  liveMigrationConfig?: LiveMigrationConfigurations
  /** Host devices that guests may use. */
  permittedHostDevices?: PermittedHostDevices
  /** Mediated devices that node agents create. */
  mediatedDevicesConfiguration?: MediatedDevicesConfiguration
  /** Rotation of the components' certificates. */
  certConfig?: CertificateRotation
  /** Resources of guests and of imports. */
  resourceRequirements?: OperandResourceRequirements
  /** Storage class for scratch space of imports. */
  scratchSpaceStorageClass?: string
  /** Ignored: the image is read from a ConfigMap. */
  vddkInitImage?: string
  /** CPU model of VMs without one. */
  defaultCPUModel?: string
  /** Runtime class of launcher pods. */
  defaultRuntimeClass?: string
  /** CPU models that guests must not use. */
  obsoleteCPUs?: ObsoleteCPUs
  /** Namespace of the common templates. */
  commonTemplatesNamespace?: string
  /** Sources of imports. */
  storageImport?: StorageImportConfig
  /** Policy for running guests when the platform is upgraded. */
  workloadUpdateStrategy?: WorkloadUpdateStrategy
  /**
   * Boot images that are imported periodically.
   * @listType atomic
   */
  dataImportCronTemplates?: DataImportCronTemplate[]
  /** Share of a volume that its file system takes. */
  filesystemOverhead?: FilesystemOverhead
  /**
   * Policy for an uninstallation while workloads exist.
   * @enum RemoveWorkloads,BlockUninstallIfWorkloadsExist
   */
  uninstallStrategy?: string
  /** Verbosity of logs. */
  logVerbosityConfig?: LogVerbosityConfiguration
  /** Protocol versions and ciphers of the components' listeners. */
  tlsSecurityProfile?: TLSSecurityProfile
  /** Ignored. */
  tektonPipelinesNamespace?: string
  /** Ignored. */
  tektonTasksNamespace?: string
  /** IPv4 address of the name server for secondary networks. */
  kubeSecondaryDNSNameServerIP?: string
  /** MAC addresses that are given to interfaces without one. */
  kubeMacPoolConfiguration?: KubeMacPoolConfig
  /**
   * Eviction strategy of VMs without one.
   * @enum None,LiveMigrate,LiveMigrateIfPossible,External
   */
  evictionStrategy?: string
  /** Storage class for the persistent state of devices. */
  vmStateStorageClass?: string
  /** Defaults of VMs. */
  virtualMachineOptions?: VirtualMachineOptions
  /** Namespace of the common boot images. */
  commonBootImageNamespace?: string
  /** Nodes on which guests share equal memory pages. */
  ksmConfiguration?: KSMConfiguration
  /** VMs whose changed blocks are tracked for incremental backups. */
  changedBlockTrackingLabelSelectors?: ChangedBlockTrackingSelectors
  /** Network binding plugins by name. */
  networkBinding?: Record<string, RawObject>
  /** Quotas that count guests and not their pods. */
  applicationAwareConfig?: ApplicationAwareConfig
  /** Density of guests on nodes. */
  higherWorkloadDensity?: HigherWorkloadDensityConfiguration
  /** False stops the import of common boot images. */
  enableCommonBootImageImport?: boolean
  /** Policy for the references of VMs to instance types. */
  instancetypeConfig?: InstancetypeConfiguration
  /** Installation of the bundled instance types. */
  CommonInstancetypesDeployment?: CommonInstancetypesDeployment
  /** True deploys the proxy of VM consoles. */
  deployVmConsoleProxy?: boolean
  /** True deploys the operator of application-aware quotas (AAQ). */
  enableApplicationAwareQuota?: boolean
  /** Limits for the update of running guests. */
  liveUpdateConfiguration?: LiveUpdateConfiguration
  /**
   * Hypervisors of the nodes.
   * @maxItems 1
   * @listType atomic
   */
  hypervisors?: HypervisorConfiguration[]
  /**
   * Aggregation of KubeVirt's cluster roles to those of Kubernetes.
   * @enum AggregateToDefault,Manual
   */
  roleAggregationStrategy?: string
}

/** Nodes of components. */
export interface PlacementConfig {
  /** Placement of the pods. */
  nodePlacement?: NodePlacement
}

/** Mediated devices that node agents create. */
export interface MediatedDevicesConfiguration {
  /**
   * Types of mediated devices on all nodes.
   * @listType atomic
   */
  mediatedDeviceTypes?: string[]
  /**
   * Old spelling of mediatedDeviceTypes.
   * @listType atomic
   */
  mediatedDevicesTypes?: string[]
  /**
   * Types of mediated devices on some nodes.
   * @listType atomic
   */
  nodeMediatedDeviceTypes?: NodeMediatedDeviceTypesConfig[]
}

/** Types of mediated devices on some nodes. */
export interface NodeMediatedDeviceTypesConfig {
  /** Labels that the node must have. */
  nodeSelector: Record<string, string>
  /**
   * Types of mediated devices.
   * @listType atomic
   */
  mediatedDeviceTypes?: string[]
  /**
   * Old spelling of mediatedDeviceTypes.
   * @listType atomic
   */
  mediatedDevicesTypes?: string[]
}

/** Resources of guests and of imports. */
export interface OperandResourceRequirements {
  /** Resources of the pods that import, upload and clone. */
  storageWorkloads?: ResourceRequirements
  /**
   * Number of virtual CPUs for each requested physical CPU.
   * @minimum 1
   */
  vmiCPUAllocationRatio?: Int64
  /** Selector of the namespaces whose guests get a CPU limit. */
  autoCPULimitNamespaceLabelSelector?: LabelSelector
}

/** CPU models that guests must not use. */
export interface ObsoleteCPUs {
  /** Ignored. */
  minCPUModel?: string
  /**
   * Models besides those that are always obsolete.
   * @listType set
   */
  cpuModels?: string[]
}

/** Defaults of VMs. */
export interface VirtualMachineOptions {
  /** True if the balloon device does not report free pages to the host. */
  disableFreePageReporting?: boolean
  /** True if the output of serial consoles is not logged. */
  disableSerialConsoleLog?: boolean
}

/** Quotas that count guests and not their pods. */
export interface ApplicationAwareConfig {
  /**
   * Method that counts the resources of a guest.
   * @enum VmiPodUsage,VirtualResources,DedicatedVirtualResources,
   * IgnoreVmiCalculator,GuestEffectiveResources
   */
  vmiCalcConfigName?: string
  /** Selector of namespaces. */
  namespaceSelector?: LabelSelector
  /** True allows quotas of several namespaces. */
  allowApplicationAwareClusterResourceQuota?: boolean
}
