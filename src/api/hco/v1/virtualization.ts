import type { LiveUpdateConfiguration } from '#api/kubevirt/v1/kubevirt.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Duration, Int64, Quantity, UInt32 } from '#api/scalars.ts'

/** Guests and their node agents. */
export interface VirtualizationConfig {
  /**
   * Limits of the components' requests to the API server: `annotation` reads them from the
   * annotation `hco.kubevirt.io/tuningPolicy`. `highBurst` is obsolete and removed.
   * @enum annotation,highBurst
   */
  tuningPolicy?: string
  /**
   * Live migration.
   * @default {}
   */
  liveMigrationConfig?: LiveMigrationConfigurations
  /** Host devices that guests may use. */
  permittedHostDevices?: PermittedHostDevices
  /** Mediated devices that node agents create. */
  mediatedDevicesConfiguration?: MediatedDevicesConfiguration
  /**
   * Policy for running guests when the platform is upgraded.
   * @default {}
   */
  workloadUpdateStrategy?: WorkloadUpdateStrategy
  /**
   * CPU models that guests must not use, besides those that are always obsolete.
   * @listType set
   */
  obsoleteCPUModels?: string[]
  /**
   * Eviction strategy of VMs without one: None, LiveMigrate, LiveMigrateIfPossible or External. Set
   * once to LiveMigrate, or to None where only one node runs guests.
   * @enum None,LiveMigrate,LiveMigrateIfPossible,External
   */
  evictionStrategy?: string
  /**
   * Defaults of VMs.
   * @default {}
   */
  virtualMachineOptions?: VirtualMachineOptions
  /**
   * Density of guests on nodes.
   * @default {}
   */
  higherWorkloadDensity?: HigherWorkloadDensityConfiguration
  /** Limits for the update of running guests. */
  liveUpdateConfiguration?: LiveUpdateConfiguration
  /** Nodes on which guests share equal memory pages (kernel samepage merging, KSM). */
  ksmConfiguration?: KSMConfiguration
  /** VMs whose changed blocks are tracked for incremental backups. */
  changedBlockTrackingLabelSelectors?: ChangedBlockTrackingSelectors
  /**
   * Hypervisors of the nodes.
   * @maxItems 1
   * @listType atomic
   */
  hypervisors?: HypervisorConfiguration[]
  /**
   * Aggregation of KubeVirt's cluster roles to those of Kubernetes: AggregateToDefault or Manual.
   * @enum AggregateToDefault,Manual
   */
  roleAggregationStrategy?: string
  /**
   * Number of virtual CPUs for each requested physical CPU.
   * @minimum 1
   * @default 10
   */
  vmiCPUAllocationRatio?: Int64
  /** Selector of the namespaces whose guests get a CPU limit. */
  autoCPULimitNamespaceLabelSelector?: LabelSelector
}

/** Live migration. */
export interface LiveMigrationConfigurations {
  /**
   * Maximum number of parallel migrations in the cluster.
   * @default 5
   */
  parallelMigrationsPerCluster?: UInt32
  /**
   * Maximum number of parallel outbound migrations of a node.
   * @default 1
   */
  parallelOutboundMigrationsPerNode?: UInt32
  /** Maximum bandwidth of one migration in bytes per second; 0 is unlimited. */
  bandwidthPerMigration?: Quantity
  /**
   * Timeout of a migration, in seconds for each GiB.
   * @default 20
   */
  completionTimeoutPerGiB?: Int64
  /**
   * Timeout of a migration without progress, in seconds.
   * @default 150
   */
  progressTimeout?: Int64
  /** Name of the network for migrations, as a NetworkAttachmentDefinition. */
  network?: string
  /**
   * Allows the throttling of a guest so that its migration converges.
   * @default false
   */
  allowAutoConverge?: boolean
  /**
   * Allows the guest to run on the target node before all of its memory is copied (post-copy).
   * @default false
   */
  allowPostCopy?: boolean
  /**
   * Allows the guest to be paused so that its migration completes.
   * @default false
   */
  allowWorkloadDisruption?: boolean
}

/** Host devices that guests may use. */
export interface PermittedHostDevices {
  /**
   * PCI devices.
   * @listType map key=pciDeviceSelector
   */
  pciHostDevices?: PciHostDevice[]
  /**
   * USB devices.
   * @listType map key=resourceName
   */
  usbHostDevices?: USBHostDevice[]
  /**
   * Mediated devices.
   * @listType map key=mdevNameSelector
   */
  mediatedDevices?: MediatedHostDevice[]
}

/** PCI device that guests may use. */
export interface PciHostDevice {
  /** Vendor and product of the device: `10DE:1EB8`. */
  pciDeviceSelector: string
  /** Resource name of the device on nodes. */
  resourceName: string
  /** True if a device plugin of another product provides the resource. */
  externalResourceProvider?: boolean
  /** True removes the device from the list. */
  disabled?: boolean
}

/** USB device that guests may use. */
export interface USBHostDevice {
  /** Resource name of the device on nodes. */
  resourceName: string
  /**
   * Vendors and products of the device.
   * @listType atomic
   */
  selectors?: USBSelector[]
  /** True if a device plugin of another product provides the resource. */
  externalResourceProvider?: boolean
  /** True removes the device from the list. */
  disabled?: boolean
}

/** Vendor and product of a USB device. */
export interface USBSelector {
  /** Vendor of the device. */
  vendor: string
  /** Product of the device. */
  product: string
}

/** Mediated device that guests may use. */
export interface MediatedHostDevice {
  /** Type of the device: `GRID T4-1Q`. */
  mdevNameSelector: string
  /** Resource name of the device on nodes. */
  resourceName: string
  /** True if a device plugin of another product provides the resource. */
  externalResourceProvider?: boolean
  /** True removes the device from the list. */
  disabled?: boolean
}

/** Mediated devices that node agents create. */
export interface MediatedDevicesConfiguration {
  /** False leaves the mediated devices of nodes to other products; true when absent. */
  enabled?: boolean
  /**
   * Types of mediated devices on all nodes.
   * @listType atomic
   */
  mediatedDeviceTypes?: string[]
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
}

/** Policy for running guests when the platform is upgraded. */
export interface WorkloadUpdateStrategy {
  /**
   * Methods for the update of running guests: LiveMigrate and Evict.
   * @optional
   * @listType atomic
   * @default ["LiveMigrate"]
   */
  workloadUpdateMethods: string[]
  /**
   * Number of guests that are evicted in one batch.
   * @default 10
   */
  batchEvictionSize?: Int64
  /**
   * Interval between two batches.
   * @default 1m0s
   */
  batchEvictionInterval?: Duration
}

/** Defaults of VMs. */
export interface VirtualMachineOptions {
  /**
   * True if the balloon device does not report free pages to the host.
   * @default false
   */
  disableFreePageReporting?: boolean
  /**
   * True if the output of serial consoles is not logged.
   * @default false
   */
  disableSerialConsoleLog?: boolean
  /** CPU model of VMs without one. */
  defaultCPUModel?: string
  /** Runtime class of launcher pods. */
  defaultRuntimeClass?: string
}

/** Density of guests on nodes. */
export interface HigherWorkloadDensityConfiguration {
  /**
   * Guest memory as a percentage of the memory request of its pod.
   * @minimum 10
   * @default 100
   */
  memoryOvercommitPercentage?: Int64
}

/** Nodes on which guests share equal memory pages. */
export interface KSMConfiguration {
  /** Selector of the nodes; an empty one selects all nodes. */
  nodeLabelSelector?: LabelSelector
}

/** VMs whose changed blocks are tracked. */
export interface ChangedBlockTrackingSelectors {
  /** Selector of namespaces. */
  namespaceLabelSelector?: LabelSelector
  /** Selector of VMs. */
  virtualMachineLabelSelector?: LabelSelector
}

/** Hypervisor of the nodes. */
export interface HypervisorConfiguration {
  /**
   * Name of the hypervisor: kvm or hyperv-direct.
   * @enum kvm,hyperv-direct
   */
  name?: string
}
