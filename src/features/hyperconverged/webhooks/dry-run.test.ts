import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { forbidden, internalError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { hyperConvergedKey } from '../names.ts'
import { startPlatform, stateIn, type Platform } from '../reconcile/platform.fixture.ts'
import { withValueAt } from '../value-at.ts'

/** Components that are wanted only on demand are. */
const base = {
  ...(applyDefaults({}, schema) as object),
  featureGates: [{ name: 'deployKubeSecondaryDNS', state: 'Enabled' }],
}
const withQuotas = withValueAt(base, ['deployment', 'applicationAwareConfig', 'enable'], true)
const objectOf = (spec: unknown): HyperConverged => ({ metadata: { ...hyperConvergedKey }, spec }) as HyperConverged
const certificates = ['ca.duration', 'ca.renewBefore', 'server.duration', 'server.renewBefore']
const infra = 'deployment.nodePlacements.infra'
const workload = 'deployment.nodePlacements.workload'
const tls = { type: 'Modern', modern: {} }

/** A value that a component refuses by a rule of its own. */
interface Row {
  /** Field of HyperConverged that is edited, and the value that it gets. */
  readonly field: string
  readonly value: unknown
  /** Field of the component that has the rule, and the value that it refuses. */
  readonly target: string
  readonly refused: unknown
  /** Field of HyperConverged that the refusal names. */
  readonly named: string
}
const scalar = (field: string, target: string, value: unknown): Row => ({ field, value, target, refused: value, named: field })
const within = (field: string, value: unknown, target: string, rest: string, refused: unknown): Row => ({
  field,
  value,
  target: `${target}${rest}`,
  refused,
  named: `${field}${rest}`,
})
const onDisk = { nodeSelector: { disk: 'tape' } }
const tolerant = { tolerations: [{ key: 'gpu', operator: 'Exists' }] }
const placed = (field: string, target: string): Row => within(field, onDisk, target, '.nodeSelector.disk', 'tape')
const timed = (target: (name: string, index: number) => string): Row[] =>
  certificates.map((name, index) => scalar(`security.certConfig.${name}`, target(name, index), '21h'))

const rules: Readonly<Record<string, readonly Row[]>> = {
  cdi: [
    scalar('storage.scratchSpaceStorageClass', 'config.scratchSpaceStorageClass', 'tape'),
    within('storage.storageImport.insecureRegistries', ['a', 'b'], 'config.insecureRegistries', '[1]', 'b'),
    within('storage.filesystemOverhead', { global: '0.9' }, 'config.filesystemOverhead', '.global', '0.9'),
    within('storage.workloadResourceRequirements', { limits: { cpu: '9' } }, 'config.podResourceRequirements', '.limits.cpu', '9'),
    scalar('deployment.logVerbosityConfig.cdi', 'config.logVerbosity', 9),
    scalar('deployment.uninstallStrategy', 'uninstallStrategy', 'RemoveWorkloads'),
    placed(infra, 'infra'),
    within(workload, tolerant, 'workload', '.tolerations[0].key', 'gpu'),
    within('security.tlsSecurityProfile', tls, 'config.tlsSecurityProfile', '.type', 'Modern'),
    ...timed((name) => `certConfig.${name}`),
  ],
  'network-addons': [
    scalar('networking.kubeMacPoolConfiguration.rangeStart', 'kubeMacPool.rangeStart', '02:00:00:00:00:00'),
    scalar('networking.kubeMacPoolConfiguration.rangeEnd', 'kubeMacPool.rangeEnd', 'FD:FF:FF:FF:FF:FF'),
    placed(infra, 'placementConfiguration.infra'),
    placed(workload, 'placementConfiguration.workloads'),
    within('security.tlsSecurityProfile', tls, 'tlsSecurityProfile', '.type', 'Modern'),
    scalar('networking.kubeSecondaryDNSNameServerIP', 'kubeSecondaryDNS.nameServerIP', '192.0.2.1'),
    ...timed(
      (_, index) =>
        `selfSignConfiguration.${['caRotateInterval', 'caOverlapInterval', 'certRotateInterval', 'certOverlapInterval'][index] ?? ''}`,
    ),
  ],
  aaq: [
    scalar('deployment.applicationAwareConfig.vmiCalcConfigName', 'configuration.vmiCalculatorConfiguration.configName', 'VmiPodUsage'),
    scalar(
      'deployment.applicationAwareConfig.allowApplicationAwareClusterResourceQuota',
      'configuration.allowApplicationAwareClusterResourceQuota',
      true,
    ),
    within(
      'deployment.applicationAwareConfig.namespaceSelector',
      { matchLabels: { team: 'x' } },
      'namespaceSelector',
      '.matchLabels.team',
      'x',
    ),
    placed(infra, 'infra'),
    within(workload, tolerant, 'workload', '.tolerations[0].key', 'gpu'),
    ...timed((name) => `certConfig.${name}`),
  ],
  ssp: [
    scalar('workloadSources.commonTemplatesNamespace', 'commonTemplates.namespace', 'elsewhere'),
    within(
      'workloadSources.dataImportCronTemplates',
      [{ metadata: { name: 'a' }, spec: {} }],
      'commonTemplates.dataImportCronTemplates',
      '[0].metadata.name',
      'a',
    ),
    scalar('deployment.deployVmConsoleProxy', 'tokenGenerationService.enabled', true),
    scalar('workloadSources.enableMultiArchBootImageImport', 'enableMultipleArchitectures', true),
    placed(infra, 'templateValidator.placement'),
  ],
}

suite('dry run of an edit at the components', () => {
  let platform: Platform
  beforeEach(async () => {
    platform = await startPlatform()
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  /** Starts the operator, and waits until it knows the components. */
  const start = async (names: readonly string[], through?: (client: Client) => Client): Promise<void> => {
    platform.start(through)
    const isKnown = (hco: HyperConverged, name: string): boolean => !['Absent', undefined].includes(stateIn(hco, name)?.state)
    await platform.until((hco) => names.every((name) => isKnown(hco, name)) && stateIn(hco, 'kubevirt')?.object !== undefined)
  }

  for (const [name, rows] of Object.entries(rules))
    test(`${name} refuses ${rows.length} values, each by a rule of its own`, async () => {
      await platform.install(name, rows.reduce<unknown>(withRule, anything) as object)
      await start([name])
      assert.deepEqual(await platform.dryRun.hyperconverged(objectOf(withQuotas), objectOf(base)), { errors: [], warnings: [] })
      for (const row of rows) {
        const edited = objectOf(withValueAt(withQuotas, row.field.split('.'), row.value))
        const { errors, warnings } = await platform.dryRun.hyperconverged(edited, objectOf(withQuotas))
        assert.deepEqual(
          errors.map(({ field }) => field),
          [`spec.${row.named}`],
          JSON.stringify(errors),
        )
        assert.match(
          errors[0]?.message ?? '',
          new RegExp(`^Invalid value: ${name} refuses its .*spec\\..*: .*not ${String(row.refused)} here`),
        )
        assert.deepEqual(warnings, [])
      }
    })

  test('the rules of KubeVirt are those of its CRD', async () => {
    await start([])
    const rows: readonly (readonly [field: string, value: unknown, named: string])[] = [
      ['workloadSources.instancetypeConfig', { referencePolicy: 'guess' }, 'workloadSources.instancetypeConfig.referencePolicy'],
      ['virtualization.liveUpdateConfiguration', { maxGuest: 'much' }, 'virtualization.liveUpdateConfiguration.maxGuest'],
      ['virtualization.vmiCPUAllocationRatio', 'many', 'virtualization.vmiCPUAllocationRatio'],
    ]
    for (const [field, value, named] of rows) {
      const { errors, warnings } = await platform.dryRun.hyperconverged(
        objectOf(withValueAt(base, field.split('.'), value)),
        objectOf(base),
      )
      assert.deepEqual([errors.map((error) => error.field), warnings], [[`spec.${named}`], []])
      assert.match(errors[0]?.message ?? '', /kubevirt refuses its KubeVirt: .*spec\.configuration\./)
    }
  })

  test('a refusal without a field names all fields that were changed', async () => {
    const refusing = (client: Client): Client => ({
      ...passing(client),
      patch: (resource, key, patch, options) =>
        options?.dryRun === true
          ? Promise.reject(forbidden(resource, key.name, 'there are guests'))
          : client.patch(resource, key, patch, options),
    })
    await start([], refusing)
    const [one, other] = ['virtualization.liveMigrationConfig.progressTimeout', 'virtualization.vmiCPUAllocationRatio']
    const refused = async (spec: unknown, old: unknown): Promise<string> => {
      const { errors } = await platform.dryRun.hyperconverged(objectOf(spec), objectOf(old))
      return errors.map(({ field, message }) => `${field}: ${message}`).join()
    }
    const first = withValueAt(base, one.split('.'), 7)
    const both = withValueAt(first, other.split('.'), 3)
    assert.match(
      await refused(first, base),
      new RegExp(`^spec\\.${one}: Invalid value: kubevirt refuses its KubeVirt: .*there are guests$`),
    )
    assert.match(await refused(both, base), new RegExp(`^spec: .*after the change of spec\\.${one}, spec\\.${other}: `))
    assert.match(await refused(first, both), new RegExp(`^spec\\.${other}: `))
  })

  test('a component that fails or is slow is named in a warning, and is not asked about edits of others', async () => {
    await platform.install('cdi')
    let answer: (signal: AbortSignal | undefined) => Promise<never> = () =>
      Promise.reject(internalError('failed calling webhook "validate.cdi": connection refused'))
    const failing = (client: Client): Client => ({
      ...passing(client),
      patch: (resource, key, patch, options) =>
        resource.plural === 'cdis' && options?.dryRun === true ? answer(options.signal) : client.patch(resource, key, patch, options),
    })
    await start(['cdi'], failing)
    const edit = (field: string, value: unknown): ReturnType<Platform['dryRun']['hyperconverged']> =>
      platform.dryRun.hyperconverged(objectOf(withValueAt(base, field.split('.'), value)), objectOf(base))
    assert.deepEqual(await edit('virtualization.liveMigrationConfig.progressTimeout', 7), { errors: [], warnings: [] })
    const shared = await edit(infra, onDisk)
    assert.deepEqual([shared.errors, shared.warnings.length], [[], 1])
    assert.match(shared.warnings[0] ?? '', /^cdi could not be asked whether its CDI may change: .*failed calling webhook/)
    answer = (signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true }))
    assert.match((await edit(infra, onDisk)).warnings[0] ?? '', /it did not answer within 2\.5 s/)
  })

  test('a component that is not wanted any more is asked whether it may be deleted', async () => {
    await platform.install('aaq')
    let isRefused = false
    const refusing = (client: Client): Client => ({
      ...passing(client),
      delete: (resource, key, options) =>
        isRefused && options?.dryRun === true
          ? Promise.reject(forbidden(resource, key.name, 'there are quotas'))
          : client.delete(resource, key, options),
    })
    await platform.edit({ deployment: { applicationAwareConfig: { enable: true } } })
    await start(['aaq'], refusing)
    await platform.until((hco) => stateIn(hco, 'aaq')?.object !== undefined)
    await platform.settled()
    assert.deepEqual(await platform.dryRun.hyperconverged(objectOf(base), objectOf(withQuotas)), { errors: [], warnings: [] })
    isRefused = true
    const { errors } = await platform.dryRun.hyperconverged(objectOf(base), objectOf(withQuotas))
    assert.match(errors[0]?.message ?? '', /aaq refuses its AAQ: it cannot be removed: .*there are quotas/)
    assert.equal(errors[0]?.field, 'spec.deployment.applicationAwareConfig.enable')
    assert.match(stateIn(await platform.hyperconverged(), 'aaq')?.object ?? '', /^AAQ\//)
  })

  test('nothing is written', async () => {
    await start([])
    await platform.settled()
    const read = (): Promise<unknown> => platform.client.list(kubeVirts, { namespace: hyperConvergedKey.namespace })
    const before = await read()
    const field = 'virtualization.liveMigrationConfig.progressTimeout'
    await platform.dryRun.hyperconverged(objectOf(withValueAt(base, field.split('.'), 7)), objectOf(base))
    await platform.dryRun.hyperconverged(objectOf(withValueAt(base, field.split('.'), 7)), undefined)
    assert.deepEqual(await read(), before)
  })
})

/** The client, method by method: those of a class are not copied by a spread. */
function passing(client: Client): Client {
  return {
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    create: (...args) => client.create(...args),
    update: (...args) => client.update(...args),
    patch: (...args) => client.patch(...args),
    delete: (...args) => client.delete(...args),
  }
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const

/** Adds a rule to a schema: the field at the target must not have the refused value. */
function withRule(root: unknown, { target, refused }: Pick<Row, 'target' | 'refused'>): unknown {
  const keys = target.split(/[.[\]]+/).filter((key) => key !== '')
  const at = (node: unknown, rest: readonly string[]): unknown => {
    const [key, ...more] = rest
    if (key === undefined) return leaf(refused)
    if (/^\d+$/.test(key)) return { type: 'array', maxItems: 8, items: at(isJsonObject(node) ? node['items'] : undefined, more) }
    const object: Readonly<Record<string, unknown>> = isJsonObject(node) ? node : anything
    const properties = isJsonObject(object['properties']) ? object['properties'] : {}
    return { ...object, properties: { ...properties, [key]: at(properties[key], more) } }
  }
  return at(root, keys)
}

function leaf(refused: unknown): object {
  const type = typeof refused === 'number' ? 'integer' : typeof refused
  const message = `not ${String(refused)} here`
  const bound = type === 'string' ? { maxLength: 64 } : {}
  return { type, ...bound, 'x-kubernetes-validations': [{ rule: `self != ${JSON.stringify(refused)}`, message }] }
}
