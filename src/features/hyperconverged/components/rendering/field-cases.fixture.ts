import { obsoleteModels } from './kubevirt.ts'

const selector = { matchLabels: { a: 'b' } }
const placement = { nodeSelector: { a: 'b' } }
const modern = { type: 'Modern', modern: {} }
export const migrations = 'virtualization.liveMigrationConfig'
export const certificates = 'security.certConfig'
export const selfSigned = 'certificateRotateStrategy.selfSigned'
export const config = 'configuration'
export const developer = `${config}.developerConfiguration`
const device = { resourceName: 'r', externalResourceProvider: true }

/** Value of each duration of certificates, and its name in NetworkAddonsConfig. */
const durations: Readonly<Record<string, readonly [duration: string, ofNetwork: string]>> = {
  'ca.duration': ['100h', 'caRotateInterval'],
  'ca.renewBefore': ['9h', 'caOverlapInterval'],
  'server.duration': ['20h', 'certRotateInterval'],
  'server.renewBefore': ['8h', 'certOverlapInterval'],
}
const verbosity = { virtOperator: 1, virtAPI: 2, virtController: 3, virtHandler: 5, virtLauncher: 6, nodeVerbosity: { n: 4 } }

/** Field of HyperConverged, value, component, target, and the value there if it is another one. */
export type FieldCase = readonly [field: string, value: unknown, component: string, target: string, expected?: unknown]

/**
 * Each field of HyperConverged in the objects of the components. The values are not defaults, are
 * valid in the schema, and do not exclude each other.
 */
export const fieldCases: readonly FieldCase[] = [
  [`${migrations}.parallelMigrationsPerCluster`, 7, 'kubevirt', `${config}.migrations.parallelMigrationsPerCluster`],
  [`${migrations}.parallelOutboundMigrationsPerNode`, 3, 'kubevirt', `${config}.migrations.parallelOutboundMigrationsPerNode`],
  [`${migrations}.bandwidthPerMigration`, '64Mi', 'kubevirt', `${config}.migrations.bandwidthPerMigration`],
  [`${migrations}.completionTimeoutPerGiB`, 99, 'kubevirt', `${config}.migrations.completionTimeoutPerGiB`],
  [`${migrations}.progressTimeout`, 98, 'kubevirt', `${config}.migrations.progressTimeout`],
  [`${migrations}.network`, 'net', 'kubevirt', `${config}.migrations.network`],
  [`${migrations}.allowAutoConverge`, true, 'kubevirt', `${config}.migrations.allowAutoConverge`],
  [`${migrations}.allowPostCopy`, true, 'kubevirt', `${config}.migrations.allowPostCopy`],
  [`${migrations}.allowWorkloadDisruption`, true, 'kubevirt', `${config}.migrations.allowWorkloadDisruption`],
  [
    'virtualization.permittedHostDevices',
    {
      pciHostDevices: [
        { pciDeviceSelector: '10DE:1EB8', ...device },
        { pciDeviceSelector: 'x', resourceName: 'gone', disabled: true },
      ],
      usbHostDevices: [{ ...device, selectors: [{ vendor: '1', product: '2' }], disabled: false }],
      mediatedDevices: [{ mdevNameSelector: 'GRID', resourceName: 'm' }],
    },
    'kubevirt',
    `${config}.permittedHostDevices`,
    {
      pciHostDevices: [{ pciVendorSelector: '10DE:1EB8', ...device }],
      usb: [{ ...device, selectors: [{ vendor: '1', product: '2' }] }],
      mediatedDevices: [{ mdevNameSelector: 'GRID', resourceName: 'm' }],
    },
  ],
  ['virtualization.mediatedDevicesConfiguration.enabled', false, 'kubevirt', `${config}.mediatedDevicesConfiguration.enabled`],
  [
    'virtualization.mediatedDevicesConfiguration.mediatedDeviceTypes',
    ['t'],
    'kubevirt',
    `${config}.mediatedDevicesConfiguration.mediatedDeviceTypes`,
  ],
  [
    'virtualization.mediatedDevicesConfiguration.nodeMediatedDeviceTypes',
    [{ nodeSelector: { a: 'b' }, mediatedDeviceTypes: ['t'] }],
    'kubevirt',
    `${config}.mediatedDevicesConfiguration.nodeMediatedDeviceTypes`,
  ],
  ['virtualization.workloadUpdateStrategy.workloadUpdateMethods', ['Evict'], 'kubevirt', 'workloadUpdateStrategy.workloadUpdateMethods'],
  ['virtualization.workloadUpdateStrategy.batchEvictionSize', 3, 'kubevirt', 'workloadUpdateStrategy.batchEvictionSize'],
  ['virtualization.workloadUpdateStrategy.batchEvictionInterval', '2m', 'kubevirt', 'workloadUpdateStrategy.batchEvictionInterval'],
  [
    'virtualization.obsoleteCPUModels',
    ['Opteron_G3'],
    'kubevirt',
    `${config}.obsoleteCPUModels`,
    Object.fromEntries([...obsoleteModels, 'Opteron_G3'].map((model) => [model, true])),
  ],
  ['virtualization.evictionStrategy', 'External', 'kubevirt', `${config}.evictionStrategy`],
  [
    'virtualization.virtualMachineOptions.disableFreePageReporting',
    true,
    'kubevirt',
    `${config}.virtualMachineOptions.disableFreePageReporting`,
    {},
  ],
  [
    'virtualization.virtualMachineOptions.disableSerialConsoleLog',
    true,
    'kubevirt',
    `${config}.virtualMachineOptions.disableSerialConsoleLog`,
    {},
  ],
  ['virtualization.virtualMachineOptions.defaultCPUModel', 'Haswell', 'kubevirt', `${config}.cpuModel`],
  ['virtualization.virtualMachineOptions.defaultRuntimeClass', 'fast', 'kubevirt', `${config}.defaultRuntimeClass`],
  ['virtualization.higherWorkloadDensity.memoryOvercommitPercentage', 150, 'kubevirt', `${developer}.memoryOvercommit`],
  [
    'virtualization.liveUpdateConfiguration',
    { maxGuest: '4Gi', maxCpuSockets: 8, maxHotplugRatio: 2 },
    'kubevirt',
    `${config}.liveUpdateConfiguration`,
  ],
  ['virtualization.ksmConfiguration', { nodeLabelSelector: selector }, 'kubevirt', `${config}.ksmConfiguration`],
  [
    'virtualization.changedBlockTrackingLabelSelectors',
    { namespaceLabelSelector: selector, virtualMachineLabelSelector: selector },
    'kubevirt',
    `${config}.changedBlockTrackingLabelSelectors`,
  ],
  ['virtualization.hypervisors', [{ name: 'kvm' }], 'kubevirt', `${config}.hypervisors`],
  ['virtualization.roleAggregationStrategy', 'Manual', 'kubevirt', `${config}.roleAggregationStrategy`],
  ['virtualization.vmiCPUAllocationRatio', 4, 'kubevirt', `${developer}.cpuAllocationRatio`],
  ['virtualization.autoCPULimitNamespaceLabelSelector', selector, 'kubevirt', `${config}.autoCPULimitNamespaceLabelSelector`],
  ['storage.vmStateStorageClass', 'ceph', 'kubevirt', `${config}.vmStateStorageClass`],
  ['storage.scratchSpaceStorageClass', 'fast', 'cdi', 'config.scratchSpaceStorageClass'],
  ['storage.storageImport.insecureRegistries', ['r:5000'], 'cdi', 'config.insecureRegistries'],
  ['storage.filesystemOverhead', { global: '0.1', storageClass: { ceph: '0' } }, 'cdi', 'config.filesystemOverhead'],
  ['storage.workloadResourceRequirements', { limits: { cpu: '1' } }, 'cdi', 'config.podResourceRequirements'],
  ['storage.persistentReservationConfiguration.enabled', true, 'kubevirt', `${config}.persistentReservationConfiguration.enabled`],
  [
    'networking.networkBinding',
    { 'a.b': { networkAttachmentDefinition: 'x' } },
    'kubevirt',
    `${config}.network.binding`,
    { 'a.b': { networkAttachmentDefinition: 'x' }, l2bridge: { domainAttachmentType: 'managedTap', migration: {} } },
  ],
  [
    'networking.kubeMacPoolConfiguration',
    { rangeStart: '02:00:00:00:00:00', rangeEnd: '02:ff:ff:ff:ff:ff' },
    'network-addons',
    'kubeMacPool',
  ],
  ['workloadSources.commonTemplatesNamespace', 'templates', 'ssp', 'commonTemplates.namespace'],
  ['workloadSources.enableMultiArchBootImageImport', true, 'ssp', 'enableMultipleArchitectures'],
  ['workloadSources.instancetypeConfig', { referencePolicy: 'expand' }, 'kubevirt', `${config}.instancetype`],
  ['workloadSources.commonInstancetypesDeployment', { enabled: false }, 'kubevirt', `${config}.commonInstancetypesDeployment`],
  ...Object.entries(durations).flatMap(([name, [duration, ofNetwork]]): FieldCase[] => [
    [`${certificates}.${name}`, duration, 'kubevirt', `${selfSigned}.${name}`],
    [`${certificates}.${name}`, duration, 'cdi', `certConfig.${name}`],
    [`${certificates}.${name}`, duration, 'aaq', `certConfig.${name}`],
    [`${certificates}.${name}`, duration, 'network-addons', `selfSignConfiguration.${ofNetwork}`],
  ]),
  ['security.tlsSecurityProfile', modern, 'kubevirt', `${config}.tlsConfiguration`, { minTLSVersion: 'VersionTLS13' }],
  ['security.tlsSecurityProfile', modern, 'cdi', 'config.tlsSecurityProfile'],
  ...['network-addons', 'ssp', 'aaq', 'migration', 'file-restore'].map((name): FieldCase => [
    'security.tlsSecurityProfile',
    modern,
    name,
    'tlsSecurityProfile',
  ]),
  ['deployment.nodePlacements.infra', placement, 'kubevirt', 'infra.nodePlacement'],
  ['deployment.nodePlacements.infra', placement, 'cdi', 'infra'],
  ['deployment.nodePlacements.infra', placement, 'network-addons', 'placementConfiguration.infra'],
  ['deployment.nodePlacements.infra', placement, 'ssp', 'templateValidator.placement'],
  ['deployment.nodePlacements.infra', placement, 'aaq', 'infra'],
  ['deployment.nodePlacements.infra', placement, 'migration', 'infra'],
  ['deployment.nodePlacements.workload', placement, 'kubevirt', 'workloads.nodePlacement'],
  ['deployment.nodePlacements.workload', placement, 'cdi', 'workload'],
  ['deployment.nodePlacements.workload', placement, 'network-addons', 'placementConfiguration.workloads'],
  ['deployment.nodePlacements.workload', placement, 'aaq', 'workload'],
  ['deployment.uninstallStrategy', 'RemoveWorkloads', 'kubevirt', 'uninstallStrategy'],
  ['deployment.uninstallStrategy', 'RemoveWorkloads', 'cdi', 'uninstallStrategy'],
  ['deployment.logVerbosityConfig.kubevirt', verbosity, 'kubevirt', `${developer}.logVerbosity`],
  ['deployment.logVerbosityConfig.cdi', 4, 'cdi', 'config.logVerbosity'],
  ['deployment.applicationAwareConfig.vmiCalcConfigName', 'VirtualResources', 'aaq', `${config}.vmiCalculatorConfiguration.configName`],
  ['deployment.applicationAwareConfig.namespaceSelector', selector, 'aaq', 'namespaceSelector'],
  [
    'deployment.applicationAwareConfig.allowApplicationAwareClusterResourceQuota',
    true,
    'aaq',
    `${config}.allowApplicationAwareClusterResourceQuota`,
  ],
  ['deployment.deployVmConsoleProxy', true, 'ssp', 'tokenGenerationService.enabled'],
]
