// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { CommonInstancetypesDeployment, InstancetypeConfiguration, LiveUpdateConfiguration, NodePlacement } from '#api/kubevirt/v1/schema.generated.ts'

export const NodePlacements: StructuralSchema = {
  type: 'object',
  description: 'Nodes of the components.',
  properties: {
    infra: {
      ...NodePlacement,
      description: 'Nodes of the control plane of the components.',
    },
    workload: {
      ...NodePlacement,
      description: 'Nodes of guests and node agents.',
    },
  },
}

export const KubeVirtLogVerbosity: StructuralSchema = {
  type: 'object',
  description: 'Verbosity of KubeVirt\'s logs.',
  properties: {
    virtOperator: {
      type: 'integer',
      format: 'int32',
      description: 'Operator.',
    },
    virtAPI: {
      type: 'integer',
      format: 'int32',
      description: 'API server of VMs.',
    },
    virtController: {
      type: 'integer',
      format: 'int32',
      description: 'Controllers.',
    },
    virtHandler: {
      type: 'integer',
      format: 'int32',
      description: 'Node agents.',
    },
    virtLauncher: {
      type: 'integer',
      format: 'int32',
      description: 'Launchers of guests.',
    },
    nodeVerbosity: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Node agents by node.',
    },
  },
}

export const LogVerbosityConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Verbosity of logs.',
  properties: {
    kubevirt: {
      ...KubeVirtLogVerbosity,
      description: 'KubeVirt.',
    },
    cdi: {
      type: 'integer',
      format: 'int32',
      description: 'Importer of disk images (CDI).',
    },
  },
}

export const MetaLabelSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with; empty for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const MetaLabelSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of objects by labels. All requirements must match. An empty selector matches all objects.',
  properties: {
    matchLabels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that must have exactly these values.',
    },
    matchExpressions: {
      type: 'array',
      items: MetaLabelSelectorRequirement,
      description: 'Requirements on labels. All requirements must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const ApplicationAwareConfigurations: StructuralSchema = {
  type: 'object',
  description: 'Quotas that count guests and not their pods.',
  properties: {
    enable: {
      type: 'boolean',
      description: 'True deploys the operator of application-aware quotas (AAQ).',
      default: false,
    },
    vmiCalcConfigName: {
      type: 'string',
      description: 'Method that counts the resources of a guest.',
      enum: ['VmiPodUsage', 'VirtualResources', 'DedicatedVirtualResources', 'IgnoreVmiCalculator', 'GuestEffectiveResources'],
      default: 'DedicatedVirtualResources',
    },
    namespaceSelector: {
      ...MetaLabelSelector,
      description: 'Selector of namespaces.',
    },
    allowApplicationAwareClusterResourceQuota: {
      type: 'boolean',
      description: 'True allows quotas of several namespaces.',
      default: false,
    },
  },
}

export const DeploymentConfig: StructuralSchema = {
  type: 'object',
  description: 'Placement, logs and optional components.',
  properties: {
    nodePlacements: {
      ...NodePlacements,
      description: 'Nodes of the components.',
    },
    uninstallStrategy: {
      type: 'string',
      description: 'Policy for an uninstallation while workloads exist: RemoveWorkloads or BlockUninstallIfWorkloadsExist.',
      enum: ['RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'],
      default: 'BlockUninstallIfWorkloadsExist',
    },
    logVerbosityConfig: {
      ...LogVerbosityConfiguration,
      description: 'Verbosity of logs.',
    },
    applicationAwareConfig: {
      ...ApplicationAwareConfigurations,
      description: 'Quotas that count guests and not their pods.',
      default: {},
    },
    deployVmConsoleProxy: {
      type: 'boolean',
      description: 'True deploys the proxy of VM consoles.',
      default: false,
    },
    deployNetworkResourcesInjector: {
      type: 'boolean',
      description: 'True deploys the injector of network resources.',
      default: true,
    },
  },
}

export const FeatureGate: StructuralSchema = {
  type: 'object',
  description: 'State of one feature.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the feature gate. Upper and lower case are the same.',
      minLength: 1,
      maxLength: 256,
    },
    state: {
      type: 'string',
      description: 'State of the feature: Enabled or Disabled.',
      enum: ['Enabled', 'Disabled'],
      default: 'Enabled',
    },
  },
  required: ['name'],
}

export const LiveMigrationConfigurations: StructuralSchema = {
  type: 'object',
  description: 'Live migration.',
  properties: {
    parallelMigrationsPerCluster: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Maximum number of parallel migrations in the cluster.',
      default: 5,
    },
    parallelOutboundMigrationsPerNode: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Maximum number of parallel outbound migrations of a node.',
      default: 1,
    },
    bandwidthPerMigration: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum bandwidth of one migration in bytes per second; 0 is unlimited.',
    },
    completionTimeoutPerGiB: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration, in seconds for each GiB.',
      default: 20,
    },
    progressTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration without progress, in seconds.',
      default: 150,
    },
    network: {
      type: 'string',
      description: 'Name of the network for migrations, as a NetworkAttachmentDefinition.',
    },
    allowAutoConverge: {
      type: 'boolean',
      description: 'Allows the throttling of a guest so that its migration converges.',
      default: false,
    },
    allowPostCopy: {
      type: 'boolean',
      description: 'Allows the guest to run on the target node before all of its memory is copied (post-copy).',
      default: false,
    },
    allowWorkloadDisruption: {
      type: 'boolean',
      description: 'Allows the guest to be paused so that its migration completes.',
      default: false,
    },
  },
}

export const PciHostDevice: StructuralSchema = {
  type: 'object',
  description: 'PCI device that guests may use.',
  properties: {
    pciDeviceSelector: {
      type: 'string',
      description: 'Vendor and product of the device: `10DE:1EB8`.',
    },
    resourceName: {
      type: 'string',
      description: 'Resource name of the device on nodes.',
    },
    externalResourceProvider: {
      type: 'boolean',
      description: 'True if a device plugin of another product provides the resource.',
    },
    disabled: {
      type: 'boolean',
      description: 'True removes the device from the list.',
    },
  },
  required: ['pciDeviceSelector', 'resourceName'],
}

export const USBSelector: StructuralSchema = {
  type: 'object',
  description: 'Vendor and product of a USB device.',
  properties: {
    vendor: {
      type: 'string',
      description: 'Vendor of the device.',
    },
    product: {
      type: 'string',
      description: 'Product of the device.',
    },
  },
  required: ['vendor', 'product'],
}

export const USBHostDevice: StructuralSchema = {
  type: 'object',
  description: 'USB device that guests may use.',
  properties: {
    resourceName: {
      type: 'string',
      description: 'Resource name of the device on nodes.',
    },
    selectors: {
      type: 'array',
      items: USBSelector,
      description: 'Vendors and products of the device.',
      'x-kubernetes-list-type': 'atomic',
    },
    externalResourceProvider: {
      type: 'boolean',
      description: 'True if a device plugin of another product provides the resource.',
    },
    disabled: {
      type: 'boolean',
      description: 'True removes the device from the list.',
    },
  },
  required: ['resourceName'],
}

export const MediatedHostDevice: StructuralSchema = {
  type: 'object',
  description: 'Mediated device that guests may use.',
  properties: {
    mdevNameSelector: {
      type: 'string',
      description: 'Type of the device: `GRID T4-1Q`.',
    },
    resourceName: {
      type: 'string',
      description: 'Resource name of the device on nodes.',
    },
    externalResourceProvider: {
      type: 'boolean',
      description: 'True if a device plugin of another product provides the resource.',
    },
    disabled: {
      type: 'boolean',
      description: 'True removes the device from the list.',
    },
  },
  required: ['mdevNameSelector', 'resourceName'],
}

export const PermittedHostDevices: StructuralSchema = {
  type: 'object',
  description: 'Host devices that guests may use.',
  properties: {
    pciHostDevices: {
      type: 'array',
      items: PciHostDevice,
      description: 'PCI devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['pciDeviceSelector'],
    },
    usbHostDevices: {
      type: 'array',
      items: USBHostDevice,
      description: 'USB devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['resourceName'],
    },
    mediatedDevices: {
      type: 'array',
      items: MediatedHostDevice,
      description: 'Mediated devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mdevNameSelector'],
    },
  },
}

export const NodeMediatedDeviceTypesConfig: StructuralSchema = {
  type: 'object',
  description: 'Types of mediated devices on some nodes.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
    },
    mediatedDeviceTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Types of mediated devices.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelector'],
}

export const MediatedDevicesConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Mediated devices that node agents create.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'False leaves the mediated devices of nodes to other products; true when absent.',
    },
    mediatedDeviceTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Types of mediated devices on all nodes.',
      'x-kubernetes-list-type': 'atomic',
    },
    nodeMediatedDeviceTypes: {
      type: 'array',
      items: NodeMediatedDeviceTypesConfig,
      description: 'Types of mediated devices on some nodes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const WorkloadUpdateStrategy: StructuralSchema = {
  type: 'object',
  description: 'Policy for running guests when the platform is upgraded.',
  properties: {
    workloadUpdateMethods: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Methods for the update of running guests: LiveMigrate and Evict.',
      'x-kubernetes-list-type': 'atomic',
      default: ['LiveMigrate'],
    },
    batchEvictionSize: {
      type: 'integer',
      format: 'int64',
      description: 'Number of guests that are evicted in one batch.',
      default: 10,
    },
    batchEvictionInterval: {
      type: 'string',
      description: 'Interval between two batches.',
      default: '1m0s',
    },
  },
}

export const VirtualMachineOptions: StructuralSchema = {
  type: 'object',
  description: 'Defaults of VMs.',
  properties: {
    disableFreePageReporting: {
      type: 'boolean',
      description: 'True if the balloon device does not report free pages to the host.',
      default: false,
    },
    disableSerialConsoleLog: {
      type: 'boolean',
      description: 'True if the output of serial consoles is not logged.',
      default: false,
    },
    defaultCPUModel: {
      type: 'string',
      description: 'CPU model of VMs without one.',
    },
    defaultRuntimeClass: {
      type: 'string',
      description: 'Runtime class of launcher pods.',
    },
  },
}

export const HigherWorkloadDensityConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Density of guests on nodes.',
  properties: {
    memoryOvercommitPercentage: {
      type: 'integer',
      format: 'int64',
      description: 'Guest memory as a percentage of the memory request of its pod.',
      minimum: 10,
      default: 100,
    },
  },
}

export const KSMConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Nodes on which guests share equal memory pages.',
  properties: {
    nodeLabelSelector: {
      ...MetaLabelSelector,
      description: 'Selector of the nodes; an empty one selects all nodes.',
    },
  },
}

export const ChangedBlockTrackingSelectors: StructuralSchema = {
  type: 'object',
  description: 'VMs whose changed blocks are tracked.',
  properties: {
    namespaceLabelSelector: {
      ...MetaLabelSelector,
      description: 'Selector of namespaces.',
    },
    virtualMachineLabelSelector: {
      ...MetaLabelSelector,
      description: 'Selector of VMs.',
    },
  },
}

export const HypervisorConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Hypervisor of the nodes.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the hypervisor: kvm or hyperv-direct.',
      enum: ['kvm', 'hyperv-direct'],
    },
  },
}

export const VirtualizationConfig: StructuralSchema = {
  type: 'object',
  description: 'Guests and their node agents.',
  properties: {
    tuningPolicy: {
      type: 'string',
      description: 'Limits of the components\' requests to the API server: `annotation` reads them from the annotation `hco.kubevirt.io/tuningPolicy`. `highBurst` is obsolete and removed.',
      enum: ['annotation', 'highBurst'],
    },
    liveMigrationConfig: {
      ...LiveMigrationConfigurations,
      description: 'Live migration.',
      default: {},
    },
    permittedHostDevices: {
      ...PermittedHostDevices,
      description: 'Host devices that guests may use.',
    },
    mediatedDevicesConfiguration: {
      ...MediatedDevicesConfiguration,
      description: 'Mediated devices that node agents create.',
    },
    workloadUpdateStrategy: {
      ...WorkloadUpdateStrategy,
      description: 'Policy for running guests when the platform is upgraded.',
      default: {},
    },
    obsoleteCPUModels: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'CPU models that guests must not use, besides those that are always obsolete.',
      'x-kubernetes-list-type': 'set',
    },
    evictionStrategy: {
      type: 'string',
      description: 'Eviction strategy of VMs without one: None, LiveMigrate, LiveMigrateIfPossible or External. Set once to LiveMigrate, or to None where only one node runs guests.',
      enum: ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'],
    },
    virtualMachineOptions: {
      ...VirtualMachineOptions,
      description: 'Defaults of VMs.',
      default: {},
    },
    higherWorkloadDensity: {
      ...HigherWorkloadDensityConfiguration,
      description: 'Density of guests on nodes.',
      default: {},
    },
    liveUpdateConfiguration: {
      ...LiveUpdateConfiguration,
      description: 'Limits for the update of running guests.',
    },
    ksmConfiguration: {
      ...KSMConfiguration,
      description: 'Nodes on which guests share equal memory pages (kernel samepage merging, KSM).',
    },
    changedBlockTrackingLabelSelectors: {
      ...ChangedBlockTrackingSelectors,
      description: 'VMs whose changed blocks are tracked for incremental backups.',
    },
    hypervisors: {
      type: 'array',
      items: HypervisorConfiguration,
      description: 'Hypervisors of the nodes.',
      maxItems: 1,
      'x-kubernetes-list-type': 'atomic',
    },
    roleAggregationStrategy: {
      type: 'string',
      description: 'Aggregation of KubeVirt\'s cluster roles to those of Kubernetes: AggregateToDefault or Manual.',
      enum: ['AggregateToDefault', 'Manual'],
    },
    vmiCPUAllocationRatio: {
      type: 'integer',
      format: 'int64',
      description: 'Number of virtual CPUs for each requested physical CPU.',
      minimum: 1,
      default: 10,
    },
    autoCPULimitNamespaceLabelSelector: {
      ...MetaLabelSelector,
      description: 'Selector of the namespaces whose guests get a CPU limit.',
    },
  },
}

export const StorageImportConfig: StructuralSchema = {
  type: 'object',
  description: 'Sources of imports.',
  properties: {
    insecureRegistries: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Registries whose certificates are not verified.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const FilesystemOverhead: StructuralSchema = {
  type: 'object',
  description: 'Share of a volume that its file system takes: a number from 0 to 1 with at most three digits.',
  properties: {
    global: {
      type: 'string',
      pattern: '^(0(?:\\.\\d{1,3})?|1)$',
      description: 'Share in all storage classes.',
    },
    storageClass: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        pattern: '^(0(?:\\.\\d{1,3})?|1)$',
      },
      description: 'Share by storage class.',
    },
  },
}

export const CoreResourceClaim: StructuralSchema = {
  type: 'object',
  description: 'Claim of the pod for devices that a container uses.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim in the pod.',
    },
    request: {
      type: 'string',
      description: 'Name of the request within the claim.',
    },
  },
  required: ['name'],
}

export const CoreResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Requests and limits of compute resources.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Maximum amount of each resource that may be used.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Requested amount of each resource.',
    },
    claims: {
      type: 'array',
      items: CoreResourceClaim,
      description: 'Claims of the pod for devices that the container uses.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  },
}

export const PersistentReservationConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Persistent reservations of SCSI disks.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if guests may reserve SCSI disks persistently; false when absent.',
    },
  },
}

export const StorageConfig: StructuralSchema = {
  type: 'object',
  description: 'Storage of guests and imports.',
  properties: {
    vmStateStorageClass: {
      type: 'string',
      description: 'Storage class for the persistent state of devices, such as a TPM.',
    },
    scratchSpaceStorageClass: {
      type: 'string',
      description: 'Storage class for scratch space of imports.',
    },
    storageImport: {
      ...StorageImportConfig,
      description: 'Sources of imports.',
    },
    filesystemOverhead: {
      ...FilesystemOverhead,
      description: 'Share of a volume that its file system takes.',
    },
    workloadResourceRequirements: {
      ...CoreResourceRequirements,
      description: 'Resources of the pods that import, upload and clone.',
    },
    persistentReservationConfiguration: {
      ...PersistentReservationConfiguration,
      description: 'Persistent reservations of SCSI disks.',
    },
  },
}

export const KubeMacPoolConfig: StructuralSchema = {
  type: 'object',
  description: 'Range of MAC addresses.',
  properties: {
    rangeStart: {
      type: 'string',
      description: 'First address.',
      pattern: '^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$',
    },
    rangeEnd: {
      type: 'string',
      description: 'Last address.',
      pattern: '^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$',
    },
  },
  'x-kubernetes-validations': [{
    rule: 'has(self.rangeStart) == has(self.rangeEnd)',
    message: 'set both rangeStart and rangeEnd, or neither',
  }],
}

export const NetworkingConfig: StructuralSchema = {
  type: 'object',
  description: 'Networks of guests.',
  properties: {
    kubeSecondaryDNSNameServerIP: {
      type: 'string',
      description: 'IPv4 address of the name server for secondary networks.',
    },
    kubeMacPoolConfiguration: {
      ...KubeMacPoolConfig,
      description: 'MAC addresses that are given to interfaces without one.',
    },
    networkBinding: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Network binding plugins by name.',
    },
  },
}

export const DataImportCronTemplate: StructuralSchema = {
  type: 'object',
  description: 'Periodic import of a boot image.',
  properties: {
    metadata: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Name, labels and annotations of the DataImportCron.',
    },
    spec: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
      description: 'Spec of the DataImportCron.',
    },
  },
}

export const WorkloadSourcesConfig: StructuralSchema = {
  type: 'object',
  description: 'Templates, boot images and instance types.',
  properties: {
    commonTemplatesNamespace: {
      type: 'string',
      description: 'Namespace of the common templates.',
    },
    commonBootImageNamespace: {
      type: 'string',
      description: 'Namespace of the common boot images.',
    },
    enableCommonBootImageImport: {
      type: 'boolean',
      description: 'False stops the import of common boot images.',
      default: true,
    },
    enableMultiArchBootImageImport: {
      type: 'boolean',
      description: 'True imports boot images for all architectures of the nodes; false when absent.',
    },
    dataImportCronTemplates: {
      type: 'array',
      items: DataImportCronTemplate,
      description: 'Boot images that are imported periodically, besides the common ones.',
      'x-kubernetes-list-type': 'atomic',
    },
    instancetypeConfig: {
      ...InstancetypeConfiguration,
      description: 'Policy for the references of VMs to instance types.',
    },
    commonInstancetypesDeployment: {
      ...CommonInstancetypesDeployment,
      description: 'Installation of the bundled instance types.',
    },
  },
}

export const AuthorityRotation: StructuralSchema = {
  type: 'object',
  description: 'Rotation of the certificates of authorities.',
  properties: {
    duration: {
      type: 'string',
      description: 'Validity period.',
      default: '48h0m0s',
    },
    renewBefore: {
      type: 'string',
      description: 'Time between the renewal and the expiry.',
      default: '24h0m0s',
    },
  },
}

export const ServerRotation: StructuralSchema = {
  type: 'object',
  description: 'Rotation of the certificates of servers.',
  properties: {
    duration: {
      type: 'string',
      description: 'Validity period.',
      default: '24h0m0s',
    },
    renewBefore: {
      type: 'string',
      description: 'Time between the renewal and the expiry.',
      default: '12h0m0s',
    },
  },
}

export const CertificateRotation: StructuralSchema = {
  type: 'object',
  description: 'Rotation of certificates.',
  properties: {
    ca: {
      ...AuthorityRotation,
      description: 'Certificates of authorities.',
      default: {},
    },
    server: {
      ...ServerRotation,
      description: 'Certificates of servers.',
      default: {},
    },
  },
}

export const CustomTLSProfile: StructuralSchema = {
  type: 'object',
  description: 'Values of a custom profile.',
  properties: {
    ciphers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Ciphers by their OpenSSL names.',
      'x-kubernetes-list-type': 'atomic',
    },
    minTLSVersion: {
      type: 'string',
      description: 'Oldest protocol version.',
      enum: ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
    },
  },
}

export const TLSSecurityProfile: StructuralSchema = {
  type: 'object',
  description: 'Protocol versions and ciphers.',
  properties: {
    type: {
      type: 'string',
      description: 'Profile: Old, Intermediate, Modern or Custom.',
      enum: ['Old', 'Intermediate', 'Modern', 'Custom'],
    },
    old: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
      description: 'Marks the profile Old.',
    },
    intermediate: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
      description: 'Marks the profile Intermediate.',
    },
    modern: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
      description: 'Marks the profile Modern.',
    },
    custom: {
      ...CustomTLSProfile,
      nullable: true,
      description: 'Values of the profile Custom.',
    },
  },
}

export const SecurityConfig: StructuralSchema = {
  type: 'object',
  description: 'Certificates and TLS.',
  properties: {
    certConfig: {
      ...CertificateRotation,
      description: 'Rotation of the components\' certificates.',
      default: {},
    },
    tlsSecurityProfile: {
      ...TLSSecurityProfile,
      description: 'Protocol versions and ciphers of the components\' listeners; Intermediate when absent.',
    },
  },
}

export const ObservabilityWorkloadsConfig: StructuralSchema = {
  type: 'object',
  description: 'Metrics of guests.',
  properties: {
    allowedMetrics: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Metrics that are kept; all when absent.',
      maxItems: 256,
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': [{
        rule: 'size(self) <= 1 || !self.exists(name, name == \'none\')',
        message: 'none must be the only value',
      }],
    },
  },
}

export const ObservabilityConfig: StructuralSchema = {
  type: 'object',
  description: 'Metrics and alerts. The value `none` alone removes all of a list.',
  properties: {
    workloads: {
      ...ObservabilityWorkloadsConfig,
      description: 'Metrics of guests.',
    },
    allowedAlerts: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Alerts that are kept; all when absent.',
      maxItems: 256,
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': [{
        rule: 'size(self) <= 1 || !self.exists(name, name == \'none\')',
        message: 'none must be the only value',
      }],
    },
    allowedRecordingRules: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Recording rules that are kept; all when absent.',
      maxItems: 256,
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': [{
        rule: 'size(self) <= 1 || !self.exists(name, name == \'none\')',
        message: 'none must be the only value',
      }],
    },
  },
}

export const HyperConvergedSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a platform.',
  properties: {
    featureGates: {
      type: 'array',
      items: FeatureGate,
      description: 'Features that are switched on or off. A gate that is not listed has the default of its phase.',
      maxItems: 64,
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': [{
        rule: 'self.all(a, self.exists_one(b, a.name.lowerAscii() == b.name.lowerAscii()))',
        message: 'a gate must be listed once, in upper or lower case',
      }],
    },
    virtualization: {
      ...VirtualizationConfig,
      description: 'Guests and their node agents.',
      default: {},
    },
    storage: {
      ...StorageConfig,
      description: 'Storage of guests and imports.',
    },
    networking: {
      ...NetworkingConfig,
      description: 'Networks of guests.',
    },
    workloadSources: {
      ...WorkloadSourcesConfig,
      description: 'Templates, boot images and instance types.',
      default: {},
    },
    security: {
      ...SecurityConfig,
      description: 'Certificates and TLS.',
      default: {},
    },
    deployment: {
      ...DeploymentConfig,
      description: 'Placement, logs and optional components.',
      default: {},
    },
    observability: {
      ...ObservabilityConfig,
      description: 'Metrics and alerts.',
    },
  },
}

export const MetaCondition: StructuralSchema = {
  type: 'object',
  description: '`metav1.Condition`, and the older condition shapes that lack some of its fields.',
  properties: {
    type: {
      type: 'string',
    },
    status: {
      type: 'string',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
    },
    lastProbeTime: {
      type: 'string',
      nullable: true,
      format: 'date-time',
    },
    lastTransitionTime: {
      type: 'string',
      nullable: true,
      format: 'date-time',
    },
    reason: {
      type: 'string',
    },
    message: {
      type: 'string',
    },
  },
  required: ['type', 'status'],
}

export const RelatedObject: StructuralSchema = {
  type: 'object',
  description: 'Object that the operator maintains.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version.',
    },
    kind: {
      type: 'string',
      description: 'Kind.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace; absent for cluster-scoped objects.',
    },
    name: {
      type: 'string',
      description: 'Name.',
    },
    uid: {
      type: 'string',
      description: 'UID.',
    },
    resourceVersion: {
      type: 'string',
      description: 'Resource version at the last change by the operator.',
    },
  },
}

export const ComponentVersion: StructuralSchema = {
  type: 'object',
  description: 'Version of a component.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the component.',
    },
    version: {
      type: 'string',
      description: 'Version that runs.',
    },
  },
  required: ['name'],
}

export const DataImportCronTemplateStatus: StructuralSchema = {
  type: 'object',
  description: 'Boot image that is imported.',
  properties: {
    metadata: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Name, labels and annotations of the DataImportCron.',
    },
    spec: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
      description: 'Spec of the DataImportCron.',
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'State of the import.',
    },
  },
}

export const NodeInfo: StructuralSchema = {
  type: 'object',
  description: 'Architectures of the nodes.',
  properties: {
    workloadsArchitectures: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Architectures of the nodes that run guests.',
      'x-kubernetes-list-type': 'atomic',
    },
    controlPlaneArchitectures: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Architectures of the nodes of the control plane.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultWorkloadArchitecture: {
      type: 'string',
      description: 'Architecture of VMs without one.',
    },
  },
}

export const ComponentCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a component.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status.',
    },
    message: {
      type: 'string',
      description: 'Explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const ComponentStatus: StructuralSchema = {
  type: 'object',
  description: 'State of a component.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the component: kubevirt, cdi, network-addons, ssp, aaq, migration or file-restore.',
    },
    state: {
      type: 'string',
      description: 'State in one word: Ready, Progressing, NotAvailable, Degraded, Failed, Absent (its kind is not installed), NotWanted, or Deleting (it goes with HyperConverged).',
    },
    object: {
      type: 'string',
      description: 'Kind and name of the object that configures the component.',
    },
    version: {
      type: 'string',
      description: 'Version that runs.',
    },
    targetVersion: {
      type: 'string',
      description: 'Version that is being installed.',
    },
    conditions: {
      type: 'array',
      items: ComponentCondition,
      description: 'Conditions of the component that are not as those of a ready one.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    message: {
      type: 'string',
      description: 'Reason for the state.',
    },
    since: {
      type: 'string',
      format: 'date-time',
      description: 'Time since which the component has its state.',
    },
    overwritten: {
      type: 'integer',
      format: 'int64',
      description: 'Number of changes by others that the operator has reverted.',
    },
  },
  required: ['name', 'state'],
}

export const GateDefault: StructuralSchema = {
  type: 'object',
  description: 'Default of a feature gate.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the feature gate.',
    },
    state: {
      type: 'string',
      description: 'State of the gate while it is not listed: Enabled or Disabled.',
    },
    pending: {
      type: 'string',
      description: 'Default of the running version, if it waits for consent: Enabled or Disabled.',
    },
  },
  required: ['name', 'state'],
}

export const EnvironmentSetting: StructuralSchema = {
  type: 'object',
  description: 'Variable in the environment of the operator.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the variable.',
    },
    value: {
      type: 'string',
      description: 'Value of the variable.',
    },
  },
  required: ['name', 'value'],
}

export const RenderingInputs: StructuralSchema = {
  type: 'object',
  description: 'Facts beside the spec from which the operator renders the components.',
  properties: {
    environment: {
      type: 'array',
      items: EnvironmentSetting,
      description: 'Settings of the operator\'s environment that are used.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    openShift: {
      type: 'boolean',
      description: 'True on OpenShift.',
    },
    tlsSecurityProfile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'TLS profile of the cluster, for which HyperConverged has none of its own.',
    },
  },
}

export const RolledBackEdit: StructuralSchema = {
  type: 'object',
  description: 'Edit that was rolled back.',
  properties: {
    generation: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that was refused.',
    },
    revision: {
      type: 'string',
      description: 'Hash of that spec and of the annotations that configure components.',
    },
    component: {
      type: 'string',
      description: 'Component that has refused it.',
    },
    message: {
      type: 'string',
      description: 'Message of the component.',
    },
  },
  required: ['generation', 'revision', 'component', 'message'],
}

export const AppliedConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Configuration that the components have.',
  properties: {
    generation: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that was last applied to all components.',
    },
    revision: {
      type: 'string',
      description: 'Hash of that spec and of the annotations that configure components.',
    },
    rolledBack: {
      ...RolledBackEdit,
      description: 'Edit that a component has refused, and that was rolled back.',
    },
  },
}

export const ComponentUpgrade: StructuralSchema = {
  type: 'object',
  description: 'Progress of a component in an upgrade.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the component.',
    },
    upgraded: {
      type: 'boolean',
      description: 'True if the component is ready, and runs the version that is expected.',
    },
    version: {
      type: 'string',
      description: 'Version that runs.',
    },
    expectedVersion: {
      type: 'string',
      description: 'Version that is expected; absent if the component decides.',
    },
    stage: {
      type: 'string',
      description: 'Stage of the component\'s own upgrade.',
    },
  },
  required: ['name', 'upgraded'],
}

export const PatchedFieldRecord: StructuralSchema = {
  type: 'object',
  description: 'Field that an upgrade patch has changed.',
  properties: {
    path: {
      type: 'string',
      description: 'JSON pointer to the field: `/spec/virtualization/evictionStrategy`.',
    },
    value: {
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Value after the patch; absent if the field was removed.',
    },
  },
  required: ['path'],
}

export const UpgradePatchRecord: StructuralSchema = {
  type: 'object',
  description: 'What became of a patch of the spec.',
  properties: {
    id: {
      type: 'string',
      description: 'Id of the patch in upgradePatches.json.',
    },
    result: {
      type: 'string',
      description: 'Applied, or Skipped (its precondition did not hold).',
    },
    version: {
      type: 'string',
      description: 'Version to which the upgrade was that decided about the patch.',
    },
    decidedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the decision. Absent in records of older releases.',
    },
    reason: {
      type: 'string',
      description: 'Reason why the patch was skipped.',
    },
    changes: {
      type: 'array',
      items: PatchedFieldRecord,
      description: 'Fields that the patch has changed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['id', 'result', 'version'],
}

export const RemovedObject: StructuralSchema = {
  type: 'object',
  description: 'Object of an older version that an upgrade has removed.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version.',
    },
    kind: {
      type: 'string',
      description: 'Kind.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace; absent for cluster-scoped objects.',
    },
    name: {
      type: 'string',
      description: 'Name.',
    },
    result: {
      type: 'string',
      description: 'Deleted, or NotFound (it did not exist, or its kind is not installed).',
    },
  },
  required: ['apiVersion', 'kind', 'name', 'result'],
}

export const PlatformUpgrade: StructuralSchema = {
  type: 'object',
  description: 'Upgrade of the platform to another version.',
  properties: {
    from: {
      type: 'string',
      description: 'Version before the upgrade; empty if it is not known.',
    },
    to: {
      type: 'string',
      description: 'Version of the operator.',
    },
    stage: {
      type: 'string',
      description: 'Stage of the upgrade: Preflight (it is refused), Patches, Components, Removal, Complete, or Abandoned (the operator of the version before was installed again).',
    },
    message: {
      type: 'string',
      description: 'What the stage waits for, or why the upgrade is refused.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the upgrade started.',
    },
    completedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the upgrade was complete or abandoned.',
    },
    components: {
      type: 'array',
      items: ComponentUpgrade,
      description: 'Components that the upgrade waits for or has waited for.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    patches: {
      type: 'array',
      items: UpgradePatchRecord,
      description: 'Patches of the spec, also those of earlier upgrades. Each is decided once.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
    },
    removed: {
      type: 'array',
      items: RemovedObject,
      description: 'Objects of older versions that the upgrade has removed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['from', 'to', 'stage', 'startedAt'],
}

export const HyperConvergedSteadyStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of a platform that steadyvm adds.',
  properties: {
    components: {
      type: 'array',
      items: ComponentStatus,
      description: 'State of each component.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    gateDefaults: {
      type: 'array',
      items: GateDefault,
      description: 'Defaults of feature gates that are in force. A later version that has other defaults compares.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    inputs: {
      ...RenderingInputs,
      description: 'Facts beside the spec from which the operator renders the components.',
    },
    configuration: {
      ...AppliedConfiguration,
      description: 'Configuration that the components have.',
    },
    upgrade: {
      ...PlatformUpgrade,
      description: 'The upgrade to the version of the operator, or the last one.',
    },
  },
}

export const HyperConvergedStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a platform.',
  properties: {
    conditions: {
      type: 'array',
      items: MetaCondition,
      description: 'Conditions of the platform: ReconcileComplete, Available, Progressing, Degraded, Upgradeable.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    relatedObjects: {
      type: 'array',
      items: RelatedObject,
      description: 'Objects that the operator maintains.',
      'x-kubernetes-list-type': 'atomic',
    },
    versions: {
      type: 'array',
      items: ComponentVersion,
      description: 'Versions that run.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status refers to.',
    },
    dataImportSchedule: {
      type: 'string',
      description: 'Schedule of the import of common boot images.',
    },
    dataImportCronTemplates: {
      type: 'array',
      items: DataImportCronTemplateStatus,
      description: 'Boot images that are imported.',
      'x-kubernetes-list-type': 'atomic',
    },
    systemHealthStatus: {
      type: 'string',
      description: 'Health in one word: healthy, warning or error.',
    },
    infrastructureHighlyAvailable: {
      type: 'boolean',
      description: 'True if several nodes run guests.',
    },
    nodeInfo: {
      ...NodeInfo,
      description: 'Architectures of the nodes.',
    },
    steadyvm: {
      ...HyperConvergedSteadyStatus,
      description: 'Status of the platform that steadyvm adds to the fields of HyperConverged.',
    },
  },
}

export const HyperConverged: StructuralSchema = {
  type: 'object',
  description: 'Configuration of all components of a virtualization platform in one object.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...HyperConvergedSpec,
      description: 'Desired state of the platform.',
      default: {},
    },
    status: {
      ...HyperConvergedStatus,
      description: 'Observed state of the platform.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  HyperConverged: HyperConverged,
}
