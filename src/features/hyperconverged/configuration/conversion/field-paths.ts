import type { FieldPath } from '../../value-at.ts'

/** Fields that both versions have, by their paths in v1 and v1beta1. */
const named: Readonly<Record<string, string>> = {
  'virtualization.tuningPolicy': 'tuningPolicy',
  'virtualization.liveMigrationConfig': 'liveMigrationConfig',
  'virtualization.permittedHostDevices': 'permittedHostDevices',
  'virtualization.workloadUpdateStrategy': 'workloadUpdateStrategy',
  'virtualization.obsoleteCPUModels': 'obsoleteCPUs.cpuModels',
  'virtualization.evictionStrategy': 'evictionStrategy',
  'virtualization.virtualMachineOptions.disableFreePageReporting': 'virtualMachineOptions.disableFreePageReporting',
  'virtualization.virtualMachineOptions.disableSerialConsoleLog': 'virtualMachineOptions.disableSerialConsoleLog',
  'virtualization.virtualMachineOptions.defaultCPUModel': 'defaultCPUModel',
  'virtualization.virtualMachineOptions.defaultRuntimeClass': 'defaultRuntimeClass',
  'virtualization.higherWorkloadDensity': 'higherWorkloadDensity',
  'virtualization.liveUpdateConfiguration': 'liveUpdateConfiguration',
  'virtualization.ksmConfiguration': 'ksmConfiguration',
  'virtualization.changedBlockTrackingLabelSelectors': 'changedBlockTrackingLabelSelectors',
  'virtualization.hypervisors': 'hypervisors',
  'virtualization.roleAggregationStrategy': 'roleAggregationStrategy',
  'virtualization.vmiCPUAllocationRatio': 'resourceRequirements.vmiCPUAllocationRatio',
  'virtualization.autoCPULimitNamespaceLabelSelector': 'resourceRequirements.autoCPULimitNamespaceLabelSelector',
  'storage.vmStateStorageClass': 'vmStateStorageClass',
  'storage.scratchSpaceStorageClass': 'scratchSpaceStorageClass',
  'storage.storageImport': 'storageImport',
  'storage.filesystemOverhead': 'filesystemOverhead',
  'storage.workloadResourceRequirements': 'resourceRequirements.storageWorkloads',
  'networking.kubeSecondaryDNSNameServerIP': 'kubeSecondaryDNSNameServerIP',
  'networking.kubeMacPoolConfiguration': 'kubeMacPoolConfiguration',
  'networking.networkBinding': 'networkBinding',
  'workloadSources.commonTemplatesNamespace': 'commonTemplatesNamespace',
  'workloadSources.commonBootImageNamespace': 'commonBootImageNamespace',
  'workloadSources.enableCommonBootImageImport': 'enableCommonBootImageImport',
  'workloadSources.dataImportCronTemplates': 'dataImportCronTemplates',
  'workloadSources.instancetypeConfig': 'instancetypeConfig',
  'workloadSources.commonInstancetypesDeployment': 'CommonInstancetypesDeployment',
  'security.certConfig': 'certConfig',
  'security.tlsSecurityProfile': 'tlsSecurityProfile',
  'deployment.nodePlacements.infra': 'infra.nodePlacement',
  'deployment.nodePlacements.workload': 'workloads.nodePlacement',
  'deployment.uninstallStrategy': 'uninstallStrategy',
  'deployment.logVerbosityConfig': 'logVerbosityConfig',
  'deployment.applicationAwareConfig.enable': 'enableApplicationAwareQuota',
  'deployment.applicationAwareConfig.vmiCalcConfigName': 'applicationAwareConfig.vmiCalcConfigName',
  'deployment.applicationAwareConfig.namespaceSelector': 'applicationAwareConfig.namespaceSelector',
  'deployment.applicationAwareConfig.allowApplicationAwareClusterResourceQuota':
    'applicationAwareConfig.allowApplicationAwareClusterResourceQuota',
  'deployment.deployVmConsoleProxy': 'deployVmConsoleProxy',
}

/** Fields that both versions have. Mediated devices and feature gates have rules of their own. */
export const sameFields: readonly { readonly v1: FieldPath; readonly v1beta1: FieldPath }[] = Object.entries(named).map(
  ([v1, v1beta1]) => ({ v1: v1.split('.'), v1beta1: v1beta1.split('.') }),
)

/** Fields of v1 alone, by the key that earlier operators gave them in an annotation of v1beta1. */
export const onlyInV1: Readonly<Record<string, FieldPath>> = {
  deployNetworkResourcesInjector: ['deployment', 'deployNetworkResourcesInjector'],
  mdevConfigEnable: ['virtualization', 'mediatedDevicesConfiguration', 'enabled'],
  persistentReservationEnabled: ['storage', 'persistentReservationConfiguration', 'enabled'],
  multiArchEnabled: ['workloadSources', 'enableMultiArchBootImageImport'],
  observability: ['observability'],
}
