import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { convertHyperConverged } from '../configuration/conversion/convert.ts'
import { withValueAt } from '../value-at.ts'
import { createAdmissionHandlers, webhookPaths } from './handlers.ts'
import { mutateHyperConverged } from './mutate.ts'
import { validateHyperConverged, warnOfHyperConverged } from './validate.ts'

const stored = applyDefaults({}, schema)
const objectOf = (spec: unknown, annotations: Record<string, string> = {}): HyperConverged =>
  ({ metadata: { name: 'kubevirt-hyperconverged', namespace: 'kubevirt', annotations }, spec }) as HyperConverged
const withField = (field: string, value: unknown): unknown => withValueAt(stored, field.split('.'), value)
const fieldsRefused = (spec: unknown, old?: unknown): readonly string[] =>
  validateHyperConverged(objectOf(spec), old === undefined ? undefined : objectOf(old)).map(({ field }) => field)

const certificates = 'security.certConfig'
const withFields = (durations: Readonly<Record<string, string>>): unknown =>
  Object.entries(durations).reduce<unknown>((spec, [name, value]) => withValueAt(spec, `${certificates}.${name}`.split('.'), value), stored)
const custom = (profile: object): unknown => withField('security.tlsSecurityProfile', { type: 'Custom', custom: profile })
const imports = 'workloadSources.dataImportCronTemplates'
const template = (name: string, more: object = {}): object => ({ metadata: { name }, spec: { managedDataSource: name }, ...more })

suite('validation of HyperConverged', () => {
  const rows: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['defaults', stored, []],
    ['nothing', undefined, []],
    ['a short certificate', withField(`${certificates}.ca.duration`, '9m'), [`spec.${certificates}.ca.duration`]],
    ['no duration', withField(`${certificates}.server.renewBefore`, 'soon'), [`spec.${certificates}.server.renewBefore`]],
    ['a renewal before the issue', withField(`${certificates}.ca.renewBefore`, '49h'), [`spec.${certificates}.ca.renewBefore`]],
    ['the same of a server', withField(`${certificates}.server.renewBefore`, '25h'), [`spec.${certificates}.server.renewBefore`]],
    ['a server that outlives its authority', withField(`${certificates}.server.duration`, '49h'), [`spec.${certificates}.server.duration`]],
    [
      'a bandwidth that is none',
      withField('virtualization.liveMigrationConfig.bandwidthPerMigration', 'x'),
      ['spec.virtualization.liveMigrationConfig.bandwidthPerMigration'],
    ],
    ['limits without annotation', withField('virtualization.tuningPolicy', 'annotation'), ['spec.virtualization.tuningPolicy']],
    [
      'a name server that is none',
      withField('networking.kubeSecondaryDNSNameServerIP', 'dns'),
      ['spec.networking.kubeSecondaryDNSNameServerIP'],
    ],
    [
      'a custom profile without version',
      withField('security.tlsSecurityProfile', { type: 'Custom', custom: {} }),
      ['spec.security.tlsSecurityProfile'],
    ],
    [
      'an unknown operator of a toleration',
      withField('deployment.nodePlacements', { workload: { tolerations: [{ key: 'a', operator: 'Bogus' }] } }),
      ['spec.deployment.nodePlacements.workload.tolerations[0].operator'],
    ],
    [
      'an affinity that is none',
      withField('deployment.nodePlacements.infra.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution', {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Bogus' }] }],
      }),
      [
        'spec.deployment.nodePlacements.infra.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
      ],
    ],
    [
      'a certificate of the least duration',
      withFields({ 'ca.duration': '10m', 'ca.renewBefore': '10m', 'server.duration': '10m', 'server.renewBefore': '10m' }),
      [],
    ],
    ['a short renewal', withField(`${certificates}.ca.renewBefore`, '9m59s'), [`spec.${certificates}.ca.renewBefore`]],
    ['a short certificate of servers', withField(`${certificates}.server.duration`, '9m59s'), [`spec.${certificates}.server.duration`]],
    [
      'a negative bandwidth',
      withField('virtualization.liveMigrationConfig.bandwidthPerMigration', '-1'),
      ['spec.virtualization.liveMigrationConfig.bandwidthPerMigration'],
    ],
    ['no limit of the bandwidth', withField('virtualization.liveMigrationConfig.bandwidthPerMigration', '0'), []],
    ['a custom profile with what HTTP/2 needs', custom({ minTLSVersion: 'VersionTLS12', ciphers: ['ECDHE-ECDSA-AES128-GCM-SHA256'] }), []],
    ['a custom profile of TLS 1.3', custom({ minTLSVersion: 'VersionTLS13' }), []],
    [
      'a custom profile without what HTTP/2 needs',
      custom({ minTLSVersion: 'VersionTLS12', ciphers: ['AES128-SHA'] }),
      ['spec.security.tlsSecurityProfile'],
    ],
    [
      'a custom profile of TLS 1.3 with ciphers',
      custom({ minTLSVersion: 'VersionTLS13', ciphers: ['ECDHE-ECDSA-AES128-GCM-SHA256'] }),
      ['spec.security.tlsSecurityProfile'],
    ],
    ['a custom profile of an unknown version', custom({ minTLSVersion: 'VersionTLS14' }), ['spec.security.tlsSecurityProfile']],
    ['two imports of one name', withField(imports, [template('a'), template('a')]), [`spec.${imports}[1].metadata.name`]],
    ['an import without spec', withField(imports, [{ metadata: { name: 'a' } }]), [`spec.${imports}[0].spec`]],
    [
      'a field of the import one level too deep',
      withField(imports, [template('a', { spec: { template: { spec: { managedDataSource: 'a' } } } })]),
      [`spec.${imports}[0].spec.template.spec.managedDataSource`],
    ],
  ]
  for (const [name, spec, fields] of rows) {
    test(`${fields.length === 0 ? 'admits' : 'refuses'} ${name}`, () => {
      assert.deepEqual(fieldsRefused(spec), fields)
      // What was wrong before may stay.
      assert.deepEqual(fieldsRefused(withValueAt(spec, ['virtualization', 'vmiCPUAllocationRatio'], 3), spec), [])
    })
  }

  test('a disabled import needs no spec', () => {
    const annotations = { 'dataimportcrontemplate.kubevirt.io/enable': 'false' }
    assert.deepEqual(fieldsRefused(withField(imports, [{ metadata: { name: 'a', annotations } }])), [])
  })

  test('fields and gates without effect are named in warnings', () => {
    const warned = (spec: unknown): readonly string[] => warnOfHyperConverged(objectOf(spec)).map((text) => text.split(' ', 1)[0] ?? '')
    assert.deepEqual(warned(stored), [])
    assert.deepEqual(warned(withField('observability.allowedAlerts', ['none'])), ['spec.observability'])
    const isDeployed = { featureGates: [{ name: 'deployObservabilityController' }], observability: { allowedAlerts: ['none'] } }
    assert.deepEqual(warned(isDeployed), [])
    assert.deepEqual(warned(withField('storage.vmStateStorageClass', 'x')), ['spec.storage.vmStateStorageClass'])
    assert.deepEqual(warned(withField('virtualization.liveMigrationConfig.progressTimeout', 3)), [])
    assert.deepEqual(warned(withField('featureGates', [{ name: 'objectGraph' }, { name: 'nonRoot' }])), [
      'spec.featureGates[nonRoot]',
      'spec.featureGates[objectGraph]',
    ])
    const old = { apiVersion: 'hco.kubevirt.io/v1beta1', kind: 'HyperConverged', metadata: {}, spec: { vddkInitImage: 'x', infra: {} } }
    const [warning, ...others] = warnOfHyperConverged(convertHyperConverged(old, 'hco.kubevirt.io/v1') as HyperConverged)
    assert.match(warning ?? '', /^spec\.vddkInitImage of v1beta1/)
    assert.deepEqual(others, [])
  })
})

suite('mutation of HyperConverged', () => {
  const mutated = (spec: unknown, more: object = {}): unknown =>
    mutateHyperConverged({ spec, oldSpec: spec, isOldVersion: false, ...more }).spec

  test('a new object gets the defaults of creations, and an old one does not', () => {
    const created = mutated(stored, { oldSpec: undefined })
    assert.deepEqual(created, withField('virtualization.ksmConfiguration', {}))
    assert.equal(mutated(stored), stored)
    const chosen = withField('virtualization.ksmConfiguration', { nodeLabelSelector: {} })
    assert.deepEqual(mutated(chosen, { oldSpec: undefined }), chosen)
  })

  test('gates that were stored as an object are repaired', () => {
    assert.deepEqual(mutated({ featureGates: {} }), {})
    assert.deepEqual(mutated({ featureGates: { alignCPUs: true } }), { featureGates: [{ name: 'alignCPUs', state: 'Enabled' }] })
  })

  test('an obsolete policy is removed with a warning', () => {
    const { spec, warnings } = mutateHyperConverged({
      spec: { virtualization: { tuningPolicy: 'highBurst' } },
      oldSpec: {},
      isOldVersion: false,
    })
    assert.deepEqual([spec, warnings.length], [{ virtualization: {} }, 1])
  })

  test('imports get their defaults, and keep what they say', () => {
    const list = [template('a'), template('b', { spec: { importsToKeep: 7 } }), { metadata: { name: 'c' } }]
    const { workloadSources } = mutated({ workloadSources: { dataImportCronTemplates: list } }) as {
      workloadSources: { dataImportCronTemplates: unknown }
    }
    const annotations = { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' }
    assert.deepEqual(workloadSources.dataImportCronTemplates, [
      { metadata: { name: 'a', annotations }, spec: { managedDataSource: 'a', retentionPolicy: 'None', importsToKeep: 1 } },
      { metadata: { name: 'b', annotations }, spec: { importsToKeep: 7, retentionPolicy: 'None' } },
      { metadata: { name: 'c' } },
    ])
  })

  test('a client of v1beta1 that does not send the annotation back loses no newer field', () => {
    const oldSpec = {
      observability: { allowedAlerts: ['none'] },
      deployment: { deployNetworkResourcesInjector: false },
      featureGates: [{ name: 'template', state: 'Disabled' }, { name: 'alignCPUs' }],
    }
    const spec = { featureGates: [{ name: 'objectGraph', state: 'Enabled' }] }
    assert.deepEqual(mutated(spec, { oldSpec, isOldVersion: true }), {
      ...oldSpec,
      featureGates: [...spec.featureGates, { name: 'template', state: 'Disabled' }],
    })
    assert.equal(mutated(spec, { oldSpec }), spec)
    // The API server has filled the defaults before it calls the webhook.
    const filled = withField('virtualization.ksmConfiguration', {})
    assert.deepEqual(mutated(filled, { oldSpec, isOldVersion: true }), {
      ...(filled as object),
      observability: oldSpec.observability,
      deployment: { ...(filled as { deployment: object }).deployment, ...oldSpec.deployment },
      featureGates: [{ name: 'template', state: 'Disabled' }],
    })
  })
})

suite('handlers', () => {
  const handlers = createAdmissionHandlers({
    dryRun: {
      hyperconverged: () => Promise.resolve({ errors: [], warnings: [] }),
      override: () => Promise.resolve({ errors: [], warnings: [] }),
    },
    client: {} as never,
    now: () => Date.parse('2026-11-26T00:00:00Z'),
  })
  const ask = (path: string, request: object): ReturnType<(typeof handlers)[string]> => {
    const handler = handlers[path]
    assert.ok(handler)
    return handler({ uid: 'u', kind: { group: 'hco.kubevirt.io', version: 'v1', kind: 'HyperConverged' }, ...request } as AdmissionRequest)
  }

  test('an update of labels passes, whatever the spec is', async () => {
    const wrong = objectOf(withField('virtualization.tuningPolicy', 'annotation'))
    const object = { ...wrong, metadata: { ...wrong.metadata, labels: { a: 'b' } } }
    assert.equal((await ask(webhookPaths.validate, { object, oldObject: wrong })).allowed, true)
    assert.equal((await ask(webhookPaths.validate, { object })).allowed, false)
  })

  test('only a changed spec is patched', async () => {
    const same = await ask(webhookPaths.mutate, { object: objectOf(stored), oldObject: objectOf(stored) })
    assert.ok(same.allowed && same.patch === undefined)
    const created = await ask(webhookPaths.mutate, { object: objectOf(stored) })
    assert.ok(created.allowed)
    assert.deepEqual(
      created.patch?.map(({ op, path }) => `${op} ${path}`),
      ['add /spec'],
    )
  })

  test('records of upgrade patches that the status lacks stay, whoever writes', async () => {
    const records = JSON.stringify([{ id: 'a', result: 'Applied', version: 'v0.2.0' }])
    const oldObject = objectOf(stored, { 'steadyvm.io/upgrade-patches': records })
    const answer = await ask(webhookPaths.mutate, { object: objectOf(stored, { mine: 'yes' }), oldObject })
    assert.ok(answer.allowed)
    assert.deepEqual(answer.patch, [
      { op: 'add', path: '/metadata/annotations', value: { mine: 'yes', 'steadyvm.io/upgrade-patches': records } },
    ])
  })

  test('the version in which the client wrote counts', async () => {
    const oldObject = objectOf({ observability: {} })
    const requestKind = { group: 'hco.kubevirt.io', version: 'v1beta1', kind: 'HyperConverged' }
    const answer = await ask(webhookPaths.mutate, { object: objectOf({}), oldObject, requestKind })
    assert.ok(answer.allowed)
    assert.equal(answer.patch?.length, 1)
  })
})
