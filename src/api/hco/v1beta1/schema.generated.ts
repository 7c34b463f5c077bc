// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { CertificateRotation, ChangedBlockTrackingSelectors, DataImportCronTemplate, FilesystemOverhead, HigherWorkloadDensityConfiguration, HyperConvergedStatus, HypervisorConfiguration, KSMConfiguration, KubeMacPoolConfig, LiveMigrationConfigurations, LogVerbosityConfiguration, PermittedHostDevices, StorageImportConfig, TLSSecurityProfile, WorkloadUpdateStrategy } from '#api/hco/v1/schema.generated.ts'
import { CommonInstancetypesDeployment, InstancetypeConfiguration, LiveUpdateConfiguration, NodePlacement } from '#api/kubevirt/v1/schema.generated.ts'

export const FeatureGates: StructuralSchema = {
  type: 'object',
  description: 'Features that are switched on (true) or off (false). An absent one has its default.',
  properties: {
    downwardMetrics: {
      type: 'boolean',
      description: 'Guests read metrics of their host.',
    },
    withHostPassthroughCPU: {
      type: 'boolean',
      description: 'Ignored.',
    },
    enableCommonBootImageImport: {
      type: 'boolean',
      description: 'Ignored: use spec.enableCommonBootImageImport.',
    },
    deployTektonTaskResources: {
      type: 'boolean',
      description: 'Ignored.',
    },
    deployVmConsoleProxy: {
      type: 'boolean',
      description: 'Ignored: use spec.deployVmConsoleProxy.',
    },
    deployKubeSecondaryDNS: {
      type: 'boolean',
      description: 'Names of guests on secondary networks.',
    },
    deployKubevirtIpamController: {
      type: 'boolean',
      description: 'Ignored.',
    },
    nonRoot: {
      type: 'boolean',
      description: 'Ignored.',
    },
    disableMDevConfiguration: {
      type: 'boolean',
      description: 'Mediated devices of nodes are left to other products.',
    },
    persistentReservation: {
      type: 'boolean',
      description: 'Guests may reserve SCSI disks persistently.',
    },
    enableManagedTenantQuota: {
      type: 'boolean',
      description: 'Ignored.',
    },
    autoResourceLimits: {
      type: 'boolean',
      description: 'Ignored.',
    },
    alignCPUs: {
      type: 'boolean',
      description: 'Even number of dedicated CPUs with an emulator thread of its own.',
    },
    enableApplicationAwareQuota: {
      type: 'boolean',
      description: 'Ignored: use spec.enableApplicationAwareQuota.',
    },
    primaryUserDefinedNetworkBinding: {
      type: 'boolean',
      description: 'Ignored.',
    },
    enableMultiArchBootImageImport: {
      type: 'boolean',
      description: 'Boot images for all architectures of the nodes.',
    },
    decentralizedLiveMigration: {
      type: 'boolean',
      description: 'Live migration between clusters.',
    },
    declarativeHotplugVolumes: {
      type: 'boolean',
      description: 'Hotplug of volumes by editing the VM.',
    },
    videoConfig: {
      type: 'boolean',
      description: 'Ignored.',
    },
    objectGraph: {
      type: 'boolean',
      description: 'Subresource that lists the objects of a VM.',
    },
    incrementalBackup: {
      type: 'boolean',
      description: 'Backups of changed blocks.',
    },
    containerPathVolumes: {
      type: 'boolean',
      description: 'Volumes from paths of the launcher pod.',
    },
  },
}

export const PlacementConfig: StructuralSchema = {
  type: 'object',
  description: 'Nodes of components.',
  properties: {
    nodePlacement: {
      ...NodePlacement,
      description: 'Placement of the pods.',
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
    mediatedDevicesTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Old spelling of mediatedDeviceTypes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelector'],
}

export const MediatedDevicesConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Mediated devices that node agents create.',
  properties: {
    mediatedDeviceTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Types of mediated devices on all nodes.',
      'x-kubernetes-list-type': 'atomic',
    },
    mediatedDevicesTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Old spelling of mediatedDeviceTypes.',
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

export const OperandResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Resources of guests and of imports.',
  properties: {
    storageWorkloads: {
      ...CoreResourceRequirements,
      description: 'Resources of the pods that import, upload and clone.',
    },
    vmiCPUAllocationRatio: {
      type: 'integer',
      format: 'int64',
      description: 'Number of virtual CPUs for each requested physical CPU.',
      minimum: 1,
    },
    autoCPULimitNamespaceLabelSelector: {
      ...MetaLabelSelector,
      description: 'Selector of the namespaces whose guests get a CPU limit.',
    },
  },
}

export const ObsoleteCPUs: StructuralSchema = {
  type: 'object',
  description: 'CPU models that guests must not use.',
  properties: {
    minCPUModel: {
      type: 'string',
      description: 'Ignored.',
    },
    cpuModels: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Models besides those that are always obsolete.',
      'x-kubernetes-list-type': 'set',
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
    },
    disableSerialConsoleLog: {
      type: 'boolean',
      description: 'True if the output of serial consoles is not logged.',
    },
  },
}

export const ApplicationAwareConfig: StructuralSchema = {
  type: 'object',
  description: 'Quotas that count guests and not their pods.',
  properties: {
    vmiCalcConfigName: {
      type: 'string',
      description: 'Method that counts the resources of a guest.',
      enum: ['VmiPodUsage', 'VirtualResources', 'DedicatedVirtualResources', 'IgnoreVmiCalculator', 'GuestEffectiveResources'],
    },
    namespaceSelector: {
      ...MetaLabelSelector,
      description: 'Selector of namespaces.',
    },
    allowApplicationAwareClusterResourceQuota: {
      type: 'boolean',
      description: 'True allows quotas of several namespaces.',
    },
  },
}

export const HyperConvergedSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a platform.',
  properties: {
    localStorageClassName: {
      type: 'string',
      description: 'Ignored: set the storage class of each claim.',
    },
    tuningPolicy: {
      type: 'string',
      description: 'Limits of the components\' requests to the API server.',
      enum: ['annotation', 'highBurst'],
    },
    infra: {
      ...PlacementConfig,
      description: 'Nodes of the control plane of the components.',
    },
    workloads: {
      ...PlacementConfig,
      description: 'Nodes of guests and node agents.',
    },
    featureGates: {
      ...FeatureGates,
      description: 'Features that are switched on or off.',
    },
    liveMigrationConfig: {
      ...LiveMigrationConfigurations,
      description: 'Live migration.',
    },
    permittedHostDevices: {
      ...PermittedHostDevices,
      description: 'Host devices that guests may use.',
    },
    mediatedDevicesConfiguration: {
      ...MediatedDevicesConfiguration,
      description: 'Mediated devices that node agents create.',
    },
    certConfig: {
      ...CertificateRotation,
      description: 'Rotation of the components\' certificates.',
    },
    resourceRequirements: {
      ...OperandResourceRequirements,
      description: 'Resources of guests and of imports.',
    },
    scratchSpaceStorageClass: {
      type: 'string',
      description: 'Storage class for scratch space of imports.',
    },
    vddkInitImage: {
      type: 'string',
      description: 'Ignored: the image is read from a ConfigMap.',
    },
    defaultCPUModel: {
      type: 'string',
      description: 'CPU model of VMs without one.',
    },
    defaultRuntimeClass: {
      type: 'string',
      description: 'Runtime class of launcher pods.',
    },
    obsoleteCPUs: {
      ...ObsoleteCPUs,
      description: 'CPU models that guests must not use.',
    },
    commonTemplatesNamespace: {
      type: 'string',
      description: 'Namespace of the common templates.',
    },
    storageImport: {
      ...StorageImportConfig,
      description: 'Sources of imports.',
    },
    workloadUpdateStrategy: {
      ...WorkloadUpdateStrategy,
      description: 'Policy for running guests when the platform is upgraded.',
    },
    dataImportCronTemplates: {
      type: 'array',
      items: DataImportCronTemplate,
      description: 'Boot images that are imported periodically.',
      'x-kubernetes-list-type': 'atomic',
    },
    filesystemOverhead: {
      ...FilesystemOverhead,
      description: 'Share of a volume that its file system takes.',
    },
    uninstallStrategy: {
      type: 'string',
      description: 'Policy for an uninstallation while workloads exist.',
      enum: ['RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'],
    },
    logVerbosityConfig: {
      ...LogVerbosityConfiguration,
      description: 'Verbosity of logs.',
    },
    tlsSecurityProfile: {
      ...TLSSecurityProfile,
      description: 'Protocol versions and ciphers of the components\' listeners.',
    },
    tektonPipelinesNamespace: {
      type: 'string',
      description: 'Ignored.',
    },
    tektonTasksNamespace: {
      type: 'string',
      description: 'Ignored.',
    },
    kubeSecondaryDNSNameServerIP: {
      type: 'string',
      description: 'IPv4 address of the name server for secondary networks.',
    },
    kubeMacPoolConfiguration: {
      ...KubeMacPoolConfig,
      description: 'MAC addresses that are given to interfaces without one.',
    },
    evictionStrategy: {
      type: 'string',
      description: 'Eviction strategy of VMs without one.',
      enum: ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'],
    },
    vmStateStorageClass: {
      type: 'string',
      description: 'Storage class for the persistent state of devices.',
    },
    virtualMachineOptions: {
      ...VirtualMachineOptions,
      description: 'Defaults of VMs.',
    },
    commonBootImageNamespace: {
      type: 'string',
      description: 'Namespace of the common boot images.',
    },
    ksmConfiguration: {
      ...KSMConfiguration,
      description: 'Nodes on which guests share equal memory pages.',
    },
    changedBlockTrackingLabelSelectors: {
      ...ChangedBlockTrackingSelectors,
      description: 'VMs whose changed blocks are tracked for incremental backups.',
    },
    networkBinding: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Network binding plugins by name.',
    },
    applicationAwareConfig: {
      ...ApplicationAwareConfig,
      description: 'Quotas that count guests and not their pods.',
    },
    higherWorkloadDensity: {
      ...HigherWorkloadDensityConfiguration,
      description: 'Density of guests on nodes.',
    },
    enableCommonBootImageImport: {
      type: 'boolean',
      description: 'False stops the import of common boot images.',
    },
    instancetypeConfig: {
      ...InstancetypeConfiguration,
      description: 'Policy for the references of VMs to instance types.',
    },
    CommonInstancetypesDeployment: {
      ...CommonInstancetypesDeployment,
      description: 'Installation of the bundled instance types.',
    },
    deployVmConsoleProxy: {
      type: 'boolean',
      description: 'True deploys the proxy of VM consoles.',
    },
    enableApplicationAwareQuota: {
      type: 'boolean',
      description: 'True deploys the operator of application-aware quotas (AAQ).',
    },
    liveUpdateConfiguration: {
      ...LiveUpdateConfiguration,
      description: 'Limits for the update of running guests.',
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
      description: 'Aggregation of KubeVirt\'s cluster roles to those of Kubernetes.',
      enum: ['AggregateToDefault', 'Manual'],
    },
  },
}

export const HyperConverged: StructuralSchema = {
  type: 'object',
  description: 'Configuration of all components of a virtualization platform in one object; use v1.',
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
