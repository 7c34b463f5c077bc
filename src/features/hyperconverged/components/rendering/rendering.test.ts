import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { featureGateRows } from '../../configuration/gates/feature-gates.ts'
import { valueAt, withValueAt } from '../../value-at.ts'
import { components } from './components.ts'
import { betaInKubeVirt } from './kubevirt-gates.ts'
import { nodeFactsOf } from './node-facts.ts'
import { config, developer, fieldCases, migrations, selfSigned } from './field-cases.fixture.ts'
import { objectOf, type Rendered, type RenderingInput } from './rendering.ts'
import { readSettings } from './settings.ts'
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

suite('each field of HyperConverged in the objects of the components', () => {
  for (const [field, value, component, target, expected = value] of fieldCases) {
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
  'workloadSources.dataImportCronTemplates',
  'workloadSources.commonBootImageNamespace',
  'workloadSources.enableCommonBootImageImport',
  'deployment.deployNetworkResourcesInjector',
  'observability',
  'featureGates',
]

test('every field of the schema has a row', () => {
  const listed = [...fieldCases.map(([field]) => field), ...others]
  const missing = (fields: StructuralSchema, path: string): readonly string[] =>
    Object.entries(fields.properties ?? {}).flatMap(([name, field]) => {
      const at = path === '' ? name : `${path}.${name}`
      if (listed.some((one) => at === one || at.startsWith(`${one}.`))) return []
      return field.properties === undefined ? [at] : missing(field, at)
    })
  assert.deepEqual(missing(schema, ''), [])
})

/** Upstream's list, which is merged with the user's. */
const obsoleteEverywhere = (
  '486 pentium pentium2 pentium3 pentiumpro coreduo n270 core2duo Conroe athlon phenom ' + 'qemu64 qemu32 kvm64 kvm32 Opteron_G1 Opteron_G2'
)
  .split(' ')
  .flatMap((model) => [model, `${model}-v1`])
const certificateDefaults = {
  'ca.duration': '48h0m0s',
  'ca.renewBefore': '24h0m0s',
  'server.duration': '24h0m0s',
  'server.renewBefore': '12h0m0s',
}

type Default = readonly [component: string, target: string, value: unknown, kind: string]
const defaults: readonly Default[] = [
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
  ['kubevirt', `${config}.network.binding`, { l2bridge: { domainAttachmentType: 'managedTap', migration: {} } }, 'fixed'],
  ['kubevirt', `${config}.obsoleteCPUModels`, Object.fromEntries(obsoleteEverywhere.map((model) => [model, true])), 'fixed'],
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
  ['ssp', 'cluster.controlPlaneArchitectures', [], 'cluster'],
  ['cdi', 'uninstallStrategy', 'BlockUninstallIfWorkloadsExist', 'default'],
  ...Object.entries(certificateDefaults).flatMap(([name, duration]): Default[] => [
    ['cdi', `certConfig.${name}`, duration, 'default'],
    ['aaq', `certConfig.${name}`, duration, 'default'],
  ]),
  ['network-addons', 'selfSignConfiguration.caRotateInterval', '48h0m0s', 'default'],
  ['network-addons', 'selfSignConfiguration.caOverlapInterval', '24h0m0s', 'default'],
  ['network-addons', 'selfSignConfiguration.certRotateInterval', '24h0m0s', 'default'],
  ['network-addons', 'selfSignConfiguration.certOverlapInterval', '12h0m0s', 'default'],
  ['network-addons', 'kubeSecondaryDNS', undefined, 'absent'],
  ['aaq', 'configuration.allowApplicationAwareClusterResourceQuota', false, 'default'],
  ['aaq', 'namespaceSelector', undefined, 'absent'],
  // What is absent is left to the component.
  ...[
    `${config}.ksmConfiguration`,
    `${config}.permittedHostDevices`,
    `${config}.mediatedDevicesConfiguration`,
    `${config}.liveUpdateConfiguration`,
    `${config}.cpuModel`,
    `${config}.defaultRuntimeClass`,
    `${config}.hypervisors`,
    `${config}.roleAggregationStrategy`,
    `${config}.autoCPULimitNamespaceLabelSelector`,
    `${config}.changedBlockTrackingLabelSelectors`,
    `${config}.vmStateStorageClass`,
    `${config}.persistentReservationConfiguration`,
    `${config}.instancetype`,
    `${config}.commonInstancetypesDeployment`,
    `${config}.migrations.network`,
    `${config}.apiConfiguration`,
    `${developer}.logVerbosity`,
    `${developer}.useEmulation`,
    'workloads',
  ].map((target): Default => ['kubevirt', target, undefined, 'absent']),
  ...[
    'scratchSpaceStorageClass',
    'insecureRegistries',
    'filesystemOverhead',
    'podResourceRequirements',
    'logVerbosity',
    'tlsSecurityProfile',
  ].map((name): Default => ['cdi', `config.${name}`, undefined, 'absent']),
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

test('each beta gate of KubeVirt is enabled or disabled by name', () => {
  const all = { annotations: { 'hco.kubevirt.io/deployPasstNetworkBinding': 'true' } }
  for (const [spec, options] of [
    [{}, {}],
    [{ featureGates: featureGateRows.map(({ name }) => ({ name, state: 'Enabled' })) }, all],
    [{ featureGates: featureGateRows.map(({ name }) => ({ name, state: 'Disabled' })) }, {}],
  ] as const) {
    const rendered = render('kubevirt', spec, options)
    const [on, off] = [gatesOf(rendered), gatesOf(rendered, 'disabledFeatureGates')]
    for (const gate of betaInKubeVirt) assert.equal(Number(on.includes(gate)) + Number(off.includes(gate)), 1, gate)
  }
})

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
  const limits = ['api', 'webhook', 'controller', 'handler'].map(
    (part) => `${config}.${part}Configuration.restClient.rateLimiter.tokenBucketRateLimiter`,
  )
  for (const target of limits) assert.deepEqual(at(rendered, target), { qps: 10, burst: 20 })
  const wrong = [
    '',
    'null',
    '[]',
    '{',
    '{"qps":10}',
    '{"burst":20}',
    '{"qps":0,"burst":20}',
    '{"qps":10,"burst":-1}',
    '{"qps":"10","burst":20}',
  ]
  for (const text of wrong) {
    const { problems, ...refused } = render('kubevirt', spec, { annotations: { 'hco.kubevirt.io/tuningPolicy': text } })
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['spec.virtualization.tuningPolicy'],
      text,
    )
    for (const target of limits) assert.equal(at({ problems, ...refused }, target), undefined)
  }
})

test('annotations that switch something', () => {
  const rows: readonly (readonly [component: string, annotation: string, isOn: (rendered: Rendered) => boolean])[] = [
    ['network-addons', 'deployOVS', (rendered) => at(rendered, 'ovs') !== undefined],
    ['kubevirt', 'hco.kubevirt.io/deployPasstNetworkBinding', (rendered) => gatesOf(rendered).includes('PasstBinding')],
  ]
  for (const [component, name, isOn] of rows)
    for (const value of ['true', 'false', 'True', '', undefined]) {
      const rendered = render(component, {}, value === undefined ? {} : { annotations: { [name]: value } })
      assert.equal(isOn(rendered), value === 'true', `${name}=${String(value)}`)
    }
})

test('each TLS profile', () => {
  const openssl = (...names: readonly string[]): readonly string[] => names.map((name) => `TLS_${name}`)
  const aead = openssl(
    'ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    'ECDHE_RSA_WITH_AES_256_GCM_SHA384',
    'ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    'ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  )
  const old = openssl(
    'ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
    'ECDHE_RSA_WITH_AES_128_CBC_SHA256',
    'ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
    'ECDHE_RSA_WITH_AES_128_CBC_SHA',
    'ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
    'ECDHE_RSA_WITH_AES_256_CBC_SHA',
    'RSA_WITH_AES_128_GCM_SHA256',
    'RSA_WITH_AES_256_GCM_SHA384',
    'RSA_WITH_AES_128_CBC_SHA256',
    'RSA_WITH_AES_128_CBC_SHA',
    'RSA_WITH_AES_256_CBC_SHA',
    'RSA_WITH_3DES_EDE_CBC_SHA',
  )
  const custom = { minTLSVersion: 'VersionTLS12', ciphers: ['ECDHE-ECDSA-AES128-GCM-SHA256', 'unknown'] }
  const rows: readonly (readonly [profile: unknown, minTLSVersion: string, ciphers: readonly string[] | undefined])[] = [
    [undefined, 'VersionTLS12', aead],
    [{ type: 'Intermediate', intermediate: {} }, 'VersionTLS12', aead],
    [{ type: 'Old', old: {} }, 'VersionTLS10', [...aead, ...old]],
    [{ type: 'Modern', modern: {} }, 'VersionTLS13', undefined],
    [{ type: 'Custom', custom }, 'VersionTLS12', aead.slice(0, 1)],
    [{ type: 'Custom', custom: { minTLSVersion: 'VersionTLS13' } }, 'VersionTLS13', undefined],
  ]
  for (const [tlsSecurityProfile, minTLSVersion, ciphers] of rows) {
    const rendered = render('kubevirt', { security: tlsSecurityProfile === undefined ? {} : { tlsSecurityProfile } })
    const wanted = { minTLSVersion, ...(ciphers === undefined ? {} : { ciphers }) }
    assert.deepEqual(
      at(rendered, `${config}.tlsConfiguration`),
      wanted,
      tlsSecurityProfile === undefined ? 'none' : JSON.stringify(tlsSecurityProfile),
    )
  }
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

test('settings of the operator', async () => {
  const environment = { MACHINETYPE: 'q35', ARM64_MACHINETYPE: 'virt', S390X_MACHINETYPE: '' }
  const rendered = render('kubevirt', {}, { environment })
  const architectures = `${config}.architectureConfiguration`
  assert.deepEqual(at(rendered, `${architectures}.amd64`), { machineType: 'q35', emulatedMachines: ['q35*', 'pc-q35*'] })
  assert.deepEqual(at(rendered, `${architectures}.arm64`), { machineType: 'virt', emulatedMachines: ['virt*'] })
  assert.equal(at(rendered, `${architectures}.s390x`), undefined)
  const smbios = { family: 'KubeVirt', product: 'None' }
  const texts: readonly (readonly [string, unknown])[] = [
    [JSON.stringify(smbios), smbios],
    ['family: KubeVirt\nproduct: None\n', smbios],
    ['', undefined],
    ['- a list', undefined],
    ['family: [', undefined],
  ]
  for (const [SMBIOS, wanted] of texts) {
    const settings = await readSettings({ SMBIOS })
    assert.deepEqual(at(render('kubevirt', {}, { environment: settings }), `${config}.smbios`), wanted)
  }
  const machineTypes: readonly (readonly [Readonly<Record<string, string>>, architecture: string, object | undefined])[] = [
    [{}, 'amd64', undefined],
    [{ AMD64_MACHINETYPE: 'pc-q35-9', MACHINETYPE: 'q35' }, 'amd64', { machineType: 'pc-q35-9', emulatedMachines: ['q35*', 'pc-q35*'] }],
    [{ S390X_MACHINETYPE: 's390-ccw-virtio' }, 's390x', { machineType: 's390-ccw-virtio', emulatedMachines: ['s390-ccw-virtio*'] }],
  ]
  for (const [settings, architecture, wanted] of machineTypes)
    assert.deepEqual(at(render('kubevirt', {}, { environment: settings }), `${architectures}.${architecture}`), wanted)
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
