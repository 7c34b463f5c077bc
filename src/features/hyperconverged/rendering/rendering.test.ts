import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { featureGateRows } from '../gates/feature-gates.ts'
import { valueAt, withValueAt } from '../value-at.ts'
import { components } from './components.ts'
import { nodeFactsOf } from './node-facts.ts'
import { obsoleteModels } from './kubevirt.ts'
import { objectOf, type Rendered, type RenderingInput } from './rendering.ts'
import type { ValueSource } from './value-source.ts'

const twoWorkers = {
  workloadArchitectures: ['amd64'],
  controlPlaneArchitectures: [],
  defaultArchitecture: 'amd64',
  controlPlanes: 0,
  workers: 2,
}
type Options = Partial<Omit<RenderingInput, 'hyperconverged'>> & { readonly annotations?: Record<string, string> }

function render(component: string, spec: unknown, { annotations = {}, ...options }: Options = {}): Rendered {
  const hyperconverged = { metadata: { annotations }, spec } as HyperConverged
  const input = { hyperconverged, nodes: twoWorkers, version: 'v1.2.3', namespace: 'kubevirt', environment: {}, ...options }
  const found = components.find(({ name }) => name === component)
  assert.ok(found, component)
  return found.render(input)
}

const at = ({ values }: Rendered, target: string): unknown => valueAt(objectOf(values), ['spec', ...target.split('.')])
const sourceAt = ({ values }: Rendered, target: string): ValueSource | undefined =>
  values.find(({ path }) => path.join('.') === `spec.${target}`)?.source
const gatesOf = (rendered: Rendered, list = 'featureGates'): readonly string[] =>
  (at(rendered, `configuration.developerConfiguration.${list}`) ?? []) as string[]

const selector = { matchLabels: { a: 'b' } }
const placement = { nodeSelector: { a: 'b' } }
const modern = { type: 'Modern', modern: {} }
const migrations = 'virtualization.liveMigrationConfig'
const certificates = 'security.certConfig'
const selfSigned = 'certificateRotateStrategy.selfSigned'
const config = 'configuration'
const developer = `${config}.developerConfiguration`
const device = { resourceName: 'r', externalResourceProvider: true }

/** Field of HyperConverged, value, component, target, and the value there if it is another one. */
type Row = readonly [field: string, value: unknown, component: string, target: string, expected?: unknown]
const rows: readonly Row[] = [
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
    `${config}.virtualMachineOptions`,
    { disableFreePageReporting: {} },
  ],
  [
    'virtualization.virtualMachineOptions.disableSerialConsoleLog',
    true,
    'kubevirt',
    `${config}.virtualMachineOptions`,
    { disableSerialConsoleLog: {} },
  ],
  ['virtualization.virtualMachineOptions.defaultCPUModel', 'Haswell', 'kubevirt', `${config}.cpuModel`],
  ['virtualization.virtualMachineOptions.defaultRuntimeClass', 'fast', 'kubevirt', `${config}.defaultRuntimeClass`],
  ['virtualization.higherWorkloadDensity.memoryOvercommitPercentage', 150, 'kubevirt', `${developer}.memoryOvercommit`],
  ['virtualization.liveUpdateConfiguration', { maxGuest: '4Gi' }, 'kubevirt', `${config}.liveUpdateConfiguration`],
  ['virtualization.ksmConfiguration', { nodeLabelSelector: selector }, 'kubevirt', `${config}.ksmConfiguration`],
  [
    'virtualization.changedBlockTrackingLabelSelectors',
    { namespaceLabelSelector: selector },
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
  ['storage.filesystemOverhead', { global: '0.1' }, 'cdi', 'config.filesystemOverhead'],
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
  ['workloadSources.dataImportCronTemplates', [{ metadata: { name: 'a' }, spec: {} }], 'ssp', 'commonTemplates.dataImportCronTemplates'],
  ['workloadSources.instancetypeConfig', { referencePolicy: 'expand' }, 'kubevirt', `${config}.instancetype`],
  ['workloadSources.commonInstancetypesDeployment', { enabled: false }, 'kubevirt', `${config}.commonInstancetypesDeployment`],
  ...(['ca.duration', 'ca.renewBefore', 'server.duration', 'server.renewBefore'] as const).flatMap((name): Row[] => [
    [`${certificates}.${name}`, '100h', 'kubevirt', `${selfSigned}.${name}`],
    [`${certificates}.${name}`, '100h', 'cdi', `certConfig.${name}`],
    [`${certificates}.${name}`, '100h', 'aaq', `certConfig.${name}`],
  ]),
  [`${certificates}.ca.duration`, '100h', 'network-addons', 'selfSignConfiguration.caRotateInterval'],
  [`${certificates}.ca.renewBefore`, '9h', 'network-addons', 'selfSignConfiguration.caOverlapInterval'],
  [`${certificates}.server.duration`, '20h', 'network-addons', 'selfSignConfiguration.certRotateInterval'],
  [`${certificates}.server.renewBefore`, '8h', 'network-addons', 'selfSignConfiguration.certOverlapInterval'],
  ['security.tlsSecurityProfile', modern, 'kubevirt', `${config}.tlsConfiguration`, { minTLSVersion: 'VersionTLS13' }],
  ['security.tlsSecurityProfile', modern, 'cdi', 'config.tlsSecurityProfile'],
  ...['network-addons', 'ssp', 'aaq', 'migration', 'file-restore'].map((name): Row => [
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
  ['deployment.logVerbosityConfig.kubevirt', { virtHandler: 5, nodeVerbosity: { n: 4 } }, 'kubevirt', `${developer}.logVerbosity`],
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

suite('each field of HyperConverged in the objects of the components', () => {
  for (const [field, value, component, target, expected = value] of rows) {
    test(`${field} → ${component} ${target}`, () => {
      const rendered = render(component, withValueAt({}, field.split('.'), value))
      assert.deepEqual(at(rendered, target), expected)
      assert.deepEqual(rendered.problems, [])
      const sources = rendered.values.filter(({ source }) => source.kind === 'user')
      assert.ok(
        sources.every(({ source }) => source.kind === 'user' && (source.field === field || source.field.startsWith(`${field}.`))),
        JSON.stringify(sources),
      )
      assert.notEqual(sources.length, 0)
    })
  }
})

/** Fields with a test of their own, and fields that no component takes yet. */
const others = [
  'virtualization.tuningPolicy',
  'networking.kubeSecondaryDNSNameServerIP',
  'deployment.applicationAwareConfig.enable',
  'workloadSources.commonBootImageNamespace',
  'workloadSources.enableCommonBootImageImport',
  'deployment.deployNetworkResourcesInjector',
  'observability',
  'featureGates',
]

test('every field of the schema has a row', () => {
  const listed = [...rows.map(([field]) => field), ...others]
  const missing = (fields: StructuralSchema, path: string): readonly string[] =>
    Object.entries(fields.properties ?? {}).flatMap(([name, field]) => {
      const at = path === '' ? name : `${path}.${name}`
      if (listed.some((one) => at === one || at.startsWith(`${one}.`))) return []
      return field.properties === undefined ? [at] : missing(field, at)
    })
  assert.deepEqual(missing(schema, ''), [])
})

const defaults: readonly (readonly [component: string, target: string, value: unknown, kind: string])[] = [
  ['kubevirt', `${config}.migrations.parallelMigrationsPerCluster`, 5, 'default'],
  ['kubevirt', `${config}.migrations.parallelOutboundMigrationsPerNode`, 1, 'default'],
  ['kubevirt', `${config}.migrations.completionTimeoutPerGiB`, 20, 'default'],
  ['kubevirt', `${config}.migrations.progressTimeout`, 150, 'default'],
  ['kubevirt', `${config}.migrations.allowAutoConverge`, false, 'default'],
  ['kubevirt', `${config}.migrations.allowPostCopy`, false, 'default'],
  ['kubevirt', `${config}.migrations.allowWorkloadDisruption`, false, 'default'],
  ['kubevirt', `${config}.migrations.bandwidthPerMigration`, undefined, 'absent'],
  ['kubevirt', 'workloadUpdateStrategy.workloadUpdateMethods', ['LiveMigrate'], 'default'],
  ['kubevirt', 'workloadUpdateStrategy.batchEvictionSize', 10, 'default'],
  ['kubevirt', 'workloadUpdateStrategy.batchEvictionInterval', '1m0s', 'default'],
  ['kubevirt', `${developer}.memoryOvercommit`, 100, 'default'],
  ['kubevirt', `${developer}.cpuAllocationRatio`, 10, 'default'],
  ['kubevirt', `${config}.virtualMachineOptions`, undefined, 'absent'],
  ['kubevirt', `${config}.evictionStrategy`, 'LiveMigrate', 'default'],
  ['kubevirt', 'uninstallStrategy', 'BlockUninstallIfWorkloadsExist', 'default'],
  ['kubevirt', `${selfSigned}.ca.duration`, '48h0m0s', 'default'],
  ['kubevirt', `${selfSigned}.ca.renewBefore`, '24h0m0s', 'default'],
  ['kubevirt', `${selfSigned}.server.duration`, '24h0m0s', 'default'],
  ['kubevirt', `${selfSigned}.server.renewBefore`, '12h0m0s', 'default'],
  ['kubevirt', `${config}.vmRolloutStrategy`, 'LiveUpdate', 'fixed'],
  ['kubevirt', `${config}.network.defaultNetworkInterface`, 'masquerade', 'fixed'],
  ['kubevirt', `${developer}.diskVerification.memoryLimit`, '2G', 'fixed'],
  [
    'kubevirt',
    `${config}.seccompConfiguration.virtualMachineInstanceProfile.customProfile.localhostProfile`,
    'kubevirt/kubevirt.json',
    'fixed',
  ],
  ['kubevirt', 'productName', 'hyperconverged-cluster', 'fixed'],
  ['kubevirt', 'productVersion', 'v1.2.3', 'fixed'],
  ['kubevirt', 'productComponent', 'compute', 'fixed'],
  ['kubevirt', 'serviceMonitorNamespace', 'kubevirt', 'fixed'],
  ['kubevirt', `${config}.tlsConfiguration.minTLSVersion`, 'VersionTLS12', 'fixed'],
  ['kubevirt', `${config}.architectureConfiguration.defaultArchitecture`, 'amd64', 'cluster'],
  ['network-addons', 'multus', {}, 'fixed'],
  ['network-addons', 'linuxBridge', {}, 'fixed'],
  ['network-addons', 'kubevirtIpamController', {}, 'fixed'],
  ['network-addons', 'kubeMacPool', {}, 'fixed'],
  ['network-addons', 'ovs', undefined, 'absent'],
  ['ssp', 'templateValidator.replicas', 2, 'fixed'],
  ['ssp', 'commonTemplates.namespace', 'openshift', 'fixed'],
  ['ssp', 'cluster.workloadArchitectures', ['amd64'], 'cluster'],
  ['ssp', 'tokenGenerationService.enabled', false, 'default'],
  ['aaq', 'priorityClass', 'kubevirt-cluster-critical', 'fixed'],
  ['aaq', `${config}.vmiCalculatorConfiguration.configName`, 'DedicatedVirtualResources', 'default'],
]

test('defaults and fixed values', () => {
  for (const [component, target, value, kind] of defaults) {
    const rendered = render(component, undefined)
    assert.deepEqual(at(rendered, target), value, target)
    assert.equal(sourceAt(rendered, target)?.kind ?? 'absent', kind, target)
  }
  assert.deepEqual(at(render('cdi', {}), 'config.featureGates'), ['HonorWaitForFirstConsumer', 'DataVolumeClaimAdoption'])
})

test('the four kinds of defaults are told apart, and from what the user has set', () => {
  const field = `${config}.migrations.progressTimeout`
  const stored = applyDefaults({}, schema)
  const rendered = (spec: unknown, target = field): unknown => sourceAt(render('kubevirt', spec), target)
  const of = (kind: string, name: string): object => ({ kind: 'default', of: kind, field: name })
  assert.deepEqual(rendered({}), of('static', `${migrations}.progressTimeout`))
  assert.deepEqual(rendered(stored), of('schema', `${migrations}.progressTimeout`))
  assert.deepEqual(rendered(withValueAt(stored, `${migrations}.progressTimeout`.split('.'), 9)), {
    kind: 'user',
    field: `${migrations}.progressTimeout`,
  })
  const ksm = 'virtualization.ksmConfiguration'
  assert.deepEqual(rendered(withValueAt(stored, ksm.split('.'), {}), `${config}.ksmConfiguration`), of('webhook', ksm))
  assert.deepEqual(rendered(stored, `${config}.evictionStrategy`), of('late', 'virtualization.evictionStrategy'))
})

for (const { name, phase, kubevirt } of featureGateRows) {
  test(`gate ${name} in KubeVirt`, () => {
    for (const state of ['Enabled', 'Disabled', undefined]) {
      const rendered = render('kubevirt', { featureGates: state === undefined ? [] : [{ name, state }] })
      const enabled = gatesOf(rendered)
      const isOn = phase === 'beta' ? state !== 'Disabled' : phase !== 'discontinued' && state === 'Enabled'
      for (const gate of kubevirt?.on ?? []) assert.equal(enabled.includes(gate), isOn, gate)
      for (const gate of kubevirt?.off ?? []) assert.equal(enabled.includes(gate), !isOn, gate)
      const both = enabled.filter((gate) => gatesOf(rendered, 'disabledFeatureGates').includes(gate))
      assert.deepEqual(both, [])
      if (kubevirt?.on === undefined) continue
      const source = rendered.values.find(({ value, isItem }) => isItem === true && value === kubevirt.on?.[0])?.source
      if (isOn) assert.deepEqual(source, { kind: 'gate', gate: name, because: state === undefined ? 'phase' : 'user' })
    }
  })
}

test('gates that fields, nodes and settings switch', () => {
  const emulated = { environment: { KVM_EMULATION: 'true' } }
  const z = { nodes: { ...twoWorkers, workloadArchitectures: ['amd64', 's390x'] } }
  const passt = { annotations: { 'hco.kubevirt.io/deployPasstNetworkBinding': 'true' } }
  const has = (gate: string, spec: unknown, options?: Options): boolean => gatesOf(render('kubevirt', spec, options)).includes(gate)
  for (const gate of ['CPUManager', 'Snapshot', 'HostDevices', 'KubevirtSeccompProfile', 'HypervStrictCheck'])
    assert.ok(has(gate, {}), gate)
  assert.equal(has('HypervStrictCheck', {}, emulated), false)
  assert.equal(at(render('kubevirt', {}, emulated), `${developer}.useEmulation`), true)
  assert.deepEqual([has('SecureExecution', {}), has('SecureExecution', {}, z)], [false, true])
  assert.deepEqual([has('PasstBinding', {}), has('PasstBinding', {}, passt)], [false, true])
  assert.ok(has('ConfigurableHypervisor', { virtualization: { hypervisors: [{ name: 'kvm' }] } }))
  assert.ok(has('OptOutRoleAggregation', { virtualization: { roleAggregationStrategy: 'Manual' } }))
  const disabled = gatesOf(render('kubevirt', {}), 'disabledFeatureGates')
  assert.ok(disabled.includes('OptOutRoleAggregation') && !disabled.includes('ImageVolume') && !disabled.includes('Template'))
  const { values } = render('kubevirt', { featureGates: [{ name: 'alignCPUs' }] })
  assert.equal(valueAt(objectOf(values), ['metadata', 'annotations', 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity']), '')
})

test('a deprecated gate works until its field is set', () => {
  const gate = (name: string): object => ({ featureGates: [{ name, state: 'Enabled' }] })
  const mediated = `${config}.mediatedDevicesConfiguration.enabled`
  assert.equal(at(render('kubevirt', gate('disableMDevConfiguration')), mediated), false)
  const field = { virtualization: { mediatedDevicesConfiguration: { enabled: true } } }
  assert.equal(at(render('kubevirt', { ...gate('disableMDevConfiguration'), ...field }), mediated), true)
  const reservation = `${config}.persistentReservationConfiguration.enabled`
  assert.equal(at(render('kubevirt', gate('persistentReservation')), reservation), true)
  const off = { storage: { persistentReservationConfiguration: { enabled: false } } }
  assert.equal(at(render('kubevirt', { ...gate('persistentReservation'), ...off }), reservation), false)
  assert.equal(at(render('ssp', gate('enableMultiArchBootImageImport')), 'enableMultipleArchitectures'), true)
})

test('names on secondary networks, and Open vSwitch', () => {
  const spec = { featureGates: [{ name: 'deployKubeSecondaryDNS' }], networking: { kubeSecondaryDNSNameServerIP: '10.0.0.1' } }
  const environment = { BASE_DOMAIN: 'example.org' }
  assert.deepEqual(at(render('network-addons', spec, { environment }), 'kubeSecondaryDNS'), {
    domain: 'example.org',
    nameServerIP: '10.0.0.1',
  })
  assert.equal(at(render('network-addons', { networking: spec.networking }, { environment }), 'kubeSecondaryDNS'), undefined)
  assert.deepEqual(at(render('network-addons', {}, { annotations: { deployOVS: 'true' } }), 'ovs'), {})
})

test('request limits from the annotation', () => {
  const spec = { virtualization: { tuningPolicy: 'annotation' } }
  const rendered = render('kubevirt', spec, { annotations: { 'hco.kubevirt.io/tuningPolicy': '{"qps":10,"burst":20}' } })
  for (const part of ['api', 'webhook', 'controller', 'handler'])
    assert.deepEqual(at(rendered, `${config}.${part}Configuration.restClient.rateLimiter.tokenBucketRateLimiter`), { qps: 10, burst: 20 })
})

test('a field that cannot be rendered is a problem of its own, and others are rendered', () => {
  const profile = (custom: object): object => ({ security: { tlsSecurityProfile: { type: 'Custom', custom } } })
  const good = 'ECDHE-RSA-AES128-GCM-SHA256'
  const wrong: readonly (readonly [component: string, field: string, spec: object])[] = [
    ['kubevirt', `${migrations}.bandwidthPerMigration`, { virtualization: { liveMigrationConfig: { bandwidthPerMigration: 'fast' } } }],
    ['kubevirt', `${migrations}.bandwidthPerMigration`, { virtualization: { liveMigrationConfig: { bandwidthPerMigration: '-1' } } }],
    ['kubevirt', 'virtualization.tuningPolicy', { virtualization: { tuningPolicy: 'annotation' } }],
    ['network-addons', 'networking.kubeSecondaryDNSNameServerIP', { networking: { kubeSecondaryDNSNameServerIP: '10.0.0.256' } }],
    ['kubevirt', 'security.tlsSecurityProfile', profile({ ciphers: [good] })],
    ['kubevirt', 'security.tlsSecurityProfile', profile({ minTLSVersion: 'VersionTLS12', ciphers: ['AES128-SHA'] })],
    ['kubevirt', 'security.tlsSecurityProfile', profile({ minTLSVersion: 'VersionTLS13', ciphers: [good] })],
  ]
  for (const [component, field, spec] of wrong) {
    const rendered = render(component, spec)
    assert.deepEqual(
      rendered.problems.map((problem) => problem.field),
      [`spec.${field}`],
    )
    if (component === 'kubevirt') assert.equal(at(rendered, `${config}.migrations.progressTimeout`), 150)
  }
  const fine = render('kubevirt', profile({ minTLSVersion: 'VersionTLS12', ciphers: [good, 'unknown'] }))
  assert.deepEqual(at(fine, `${config}.tlsConfiguration.ciphers`), ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'])
})

test('settings of the operator', () => {
  const environment = { MACHINETYPE: 'q35', ARM64_MACHINETYPE: 'virt', S390X_MACHINETYPE: '', SMBIOS: '{"family":"KubeVirt"}' }
  const rendered = render('kubevirt', {}, { environment })
  const architectures = `${config}.architectureConfiguration`
  assert.deepEqual(at(rendered, `${architectures}.amd64`), { machineType: 'q35', emulatedMachines: ['q35*', 'pc-q35*'] })
  assert.deepEqual(at(rendered, `${architectures}.arm64`), { machineType: 'virt', emulatedMachines: ['virt*'] })
  assert.equal(at(rendered, `${architectures}.s390x`), undefined)
  assert.deepEqual(at(rendered, `${config}.smbios`), { family: 'KubeVirt' })
})

test('replicas and placement by the number of nodes', () => {
  const node = (name: string, labels: readonly string[], taint?: string, architecture = 'amd64'): never =>
    ({
      metadata: { name, labels: Object.fromEntries(labels.map((label) => [`node-role.kubernetes.io/${label}`, ''])) },
      spec: taint === undefined ? {} : { taints: [{ key: `node-role.kubernetes.io/${taint}`, effect: 'NoSchedule' }] },
      status: { nodeInfo: { architecture } },
    }) as never
  const plane = (name: string): never => node(name, ['control-plane'], 'control-plane')
  const rowsOf: readonly (readonly [readonly never[], unknown, string])[] = [
    [[node('a', [])], { nodePlacement: {}, replicas: 1 }, 'None'],
    [[node('a', []), node('b', [])], { nodePlacement: {} }, 'LiveMigrate'],
    [[plane('a'), node('b', []), node('c', [])], { replicas: 1 }, 'LiveMigrate'],
    [[plane('a'), plane('b'), node('c', [])], undefined, 'None'],
    [[node('a', ['control-plane'])], { replicas: 1 }, 'None'],
  ]
  for (const [nodes, infra, strategy] of rowsOf) {
    const rendered = render('kubevirt', {}, { nodes: nodeFactsOf(nodes) })
    assert.deepEqual(at(rendered, 'infra'), infra)
    assert.equal(at(rendered, `${config}.evictionStrategy`), strategy)
  }
  const facts = nodeFactsOf([node('a', ['control-plane'], 'control-plane', 's390x'), node('b', [], undefined, 'arm64'), node('c', [])])
  assert.deepEqual([facts.controlPlaneArchitectures, facts.workloadArchitectures], [['s390x'], ['amd64', 'arm64']])
  assert.deepEqual(facts.defaultArchitecture, 'amd64')
})
