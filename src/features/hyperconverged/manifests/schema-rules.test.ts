import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { fieldCases } from '../components/rendering/field-cases.fixture.ts'
import { hyperConvergedKey } from '../names.ts'
import { startPlatform, type Platform } from '../reconcile/platform.fixture.ts'
import { valueAt, withValueAt } from '../value-at.ts'

const migrations = 'virtualization.liveMigrationConfig'
const selector = (operator: unknown): object => ({ matchExpressions: [{ key: 'a', ...(operator === undefined ? {} : { operator }) }] })
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`)
const pci = { pciDeviceSelector: '10DE:1EB8', resourceName: 'r' }

/** A field, values that the schema accepts, and values that it refuses. */
type Rule = readonly [field: string, accepted: readonly unknown[], refused: readonly unknown[]]
const rules: readonly Rule[] = [
  [
    'featureGates',
    [[], [{ name: 'a' }, { name: 'b', state: 'Disabled' }], many(64).map((name) => ({ name }))],
    [
      many(65).map((name) => ({ name })),
      [{ name: 'alignCPUs' }, { name: 'ALIGNcpus' }],
      [{ name: 'a'.repeat(257) }],
      [{ name: '' }],
      [{ state: 'Enabled' }],
      [{ name: 'a', state: 'On' }],
      { alignCPUs: true },
    ],
  ],
  ['virtualization.tuningPolicy', ['annotation', 'highBurst'], ['lowBurst', 3]],
  [`${migrations}.parallelMigrationsPerCluster`, [0, 9], [-1, 1.5, '5']],
  [`${migrations}.parallelOutboundMigrationsPerNode`, [0, 9], [-1, 'two']],
  [`${migrations}.bandwidthPerMigration`, ['64Mi', '0', 0, '1.5Gi'], ['fast', '64 Mi', true]],
  [`${migrations}.completionTimeoutPerGiB`, [20], ['20', 0.5]],
  [`${migrations}.progressTimeout`, [150], ['150', true]],
  [`${migrations}.allowAutoConverge`, [true], ['true', 1]],
  [`${migrations}.allowPostCopy`, [true], ['true']],
  [`${migrations}.allowWorkloadDisruption`, [true], ['true']],
  [
    'virtualization.permittedHostDevices.pciHostDevices',
    [[pci, { ...pci, pciDeviceSelector: '8086:1' }]],
    [[pci, pci], [{ resourceName: 'r' }], [{ pciDeviceSelector: 'x' }]],
  ],
  [
    'virtualization.permittedHostDevices.usbHostDevices',
    [[{ resourceName: 'r', selectors: [{ vendor: '1', product: '2' }] }]],
    [[{ resourceName: 'r' }, { resourceName: 'r' }], [{ resourceName: 'r', selectors: [{ vendor: '1' }] }]],
  ],
  [
    'virtualization.permittedHostDevices.mediatedDevices',
    [[{ mdevNameSelector: 'GRID', resourceName: 'r' }]],
    [
      [{ mdevNameSelector: 'GRID' }],
      [
        { mdevNameSelector: 'GRID', resourceName: 'r' },
        { mdevNameSelector: 'GRID', resourceName: 's' },
      ],
    ],
  ],
  [
    'virtualization.mediatedDevicesConfiguration.nodeMediatedDeviceTypes',
    [[{ nodeSelector: { a: 'b' } }]],
    [[{}], [{ nodeSelector: 'a' }]],
  ],
  ['virtualization.workloadUpdateStrategy.workloadUpdateMethods', [['Evict'], []], ['Evict', [3]]],
  ['virtualization.workloadUpdateStrategy.batchEvictionSize', [3], ['3']],
  ['virtualization.obsoleteCPUModels', [['a', 'b']], [['a', 'a'], 'a']],
  ['virtualization.evictionStrategy', ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'], ['Maybe', '']],
  ['virtualization.virtualMachineOptions.disableFreePageReporting', [true], ['yes']],
  ['virtualization.higherWorkloadDensity.memoryOvercommitPercentage', [10, 150], [9, 0, '150']],
  ['virtualization.liveUpdateConfiguration.maxGuest', ['4Gi'], ['much']],
  ['virtualization.ksmConfiguration.nodeLabelSelector', [selector('Exists')], [selector(undefined), selector(3)]],
  ['virtualization.changedBlockTrackingLabelSelectors.namespaceLabelSelector', [selector('In')], [selector(undefined)]],
  [
    'virtualization.hypervisors',
    [[], [{ name: 'kvm' }], [{ name: 'hyperv-direct' }]],
    [[{ name: 'kvm' }, { name: 'kvm' }], [{ name: 'xen' }]],
  ],
  ['virtualization.roleAggregationStrategy', ['AggregateToDefault', 'Manual'], ['Automatic']],
  ['virtualization.vmiCPUAllocationRatio', [1, 10], [0, -1, '10']],
  ['virtualization.autoCPULimitNamespaceLabelSelector', [selector('Exists'), {}], [selector(undefined), 'a']],
  ['storage.storageImport.insecureRegistries', [['a', 'b']], [['a', 'a']]],
  ['storage.filesystemOverhead.global', ['0', '1', '0.1', '0.055'], ['1.1', '0.0555', '.5', '-0.1', 0.1]],
  ['storage.filesystemOverhead.storageClass', [{ ceph: '0.055' }], [{ ceph: '5%' }, { ceph: '0.0555' }]],
  ['storage.workloadResourceRequirements', [{ limits: { cpu: '1' } }], [{ limits: { cpu: 'much' } }]],
  ['storage.persistentReservationConfiguration.enabled', [true], ['true']],
  [
    'networking.kubeMacPoolConfiguration',
    [{}, { rangeStart: '02:00:00:00:00:00', rangeEnd: '02:FF:ff:ff:ff:ff' }],
    [
      { rangeStart: '02:00:00:00:00:00' },
      { rangeEnd: '02:00:00:00:00:00' },
      { rangeStart: '02:00:00:00:00', rangeEnd: '02:ff:ff:ff:ff:ff' },
      { rangeStart: '02:00:00:00:00:00', rangeEnd: '02-ff-ff-ff-ff-ff' },
    ],
  ],
  ['networking.networkBinding', [{ 'a.b': { networkAttachmentDefinition: 'x' } }], [{ a: 'x' }, []]],
  ['workloadSources.instancetypeConfig.referencePolicy', ['reference', 'expand', 'expandAll'], ['guess']],
  ['workloadSources.commonInstancetypesDeployment.enabled', [false], ['false']],
  ['security.tlsSecurityProfile.type', ['Old', 'Intermediate', 'Modern', 'Custom'], ['Newest']],
  ['security.tlsSecurityProfile.custom.minTLSVersion', ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'], ['TLS1.2']],
  ['deployment.nodePlacements.infra', [{ nodeSelector: { a: 'b' } }], [{ nodeSelector: { a: 1 } }, { tolerations: {} }]],
  ['deployment.uninstallStrategy', ['RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'], ['Ask']],
  [
    'deployment.logVerbosityConfig.kubevirt',
    [{ virtHandler: 5, nodeVerbosity: { n: 4 } }],
    [{ virtHandler: 'all' }, { nodeVerbosity: { n: '4' } }],
  ],
  ['deployment.logVerbosityConfig.cdi', [3], ['3']],
  [
    'deployment.applicationAwareConfig.vmiCalcConfigName',
    ['VmiPodUsage', 'VirtualResources', 'DedicatedVirtualResources', 'IgnoreVmiCalculator', 'GuestEffectiveResources'],
    ['Guess'],
  ],
  ['deployment.deployVmConsoleProxy', [true], ['true']],
  ...['observability.workloads.allowedMetrics', 'observability.allowedAlerts', 'observability.allowedRecordingRules'].map((field): Rule => [
    field,
    [[], ['none'], ['a', 'b'], many(256)],
    [['none', 'a'], many(257), 'none'],
  ]),
]

suite('rules of the schema of HyperConverged', () => {
  let platform: Platform
  before(async () => {
    platform = await startPlatform()
  })
  after(() => platform[Symbol.asyncDispose]())

  /** Tries to set a field of an object that is otherwise empty. */
  const attempt = async (field: string, value: unknown): Promise<HyperConverged> => {
    const { metadata } = await platform.hyperconverged()
    const spec = withValueAt({}, field.split('.'), value)
    return platform.client.update(hyperConvergeds, { ...hyperConvergedObject, metadata, spec } as HyperConverged)
  }

  for (const [field, accepted, refused] of rules) {
    test(field, async () => {
      for (const value of accepted) assert.notEqual(valueAt((await attempt(field, value)).spec, field.split('.')), undefined)
      for (const value of refused)
        await assert.rejects(attempt(field, value), (error: unknown) => {
          assert.ok(error instanceof StatusError && error.status.reason === 'Invalid', `${JSON.stringify(value)}: ${String(error)}`)
          // The last cause may say that rules in CEL were not checked.
          const fields = (error.status.details?.causes ?? []).map((cause) => cause.field ?? '').filter((one) => one !== '<nil>')
          assert.ok(
            fields.length > 0 && fields.every((one) => one.startsWith(`spec.${field}`)),
            `${JSON.stringify(value)}: ${fields.join()}`,
          )
          return true
        })
    })
  }

  test('each value of the table of fields is stored as it is', async () => {
    for (const [field, value] of fieldCases) {
      const { spec } = await attempt(field, value)
      assert.deepEqual(valueAt(spec, field.split('.')), value, field)
    }
  })

  test('a gate without a state is enabled', async () => {
    const { spec } = await attempt('featureGates', [{ name: 'alignCPUs' }])
    assert.deepEqual(spec?.featureGates, [{ name: 'alignCPUs', state: 'Enabled' }])
  })

  test('a default that is removed, at any level, is filled again', async () => {
    const defaults = applyDefaults({}, schema)
    const paths = (value: unknown, at: string): readonly string[] =>
      isJsonObject(value) ? Object.entries(value).flatMap(([key, below]) => [`${at}/${key}`, ...paths(below, `${at}/${key}`)]) : []
    const all = ['/spec', ...paths(defaults, '/spec')]
    assert.ok(all.length > 30, all.join())
    for (const path of all) {
      await attempt('virtualization', {})
      const { spec } = await platform.client.patch(hyperConvergeds, hyperConvergedKey, {
        type: 'json',
        operations: [{ op: 'remove', path }],
      })
      assert.deepEqual(spec, defaults, path)
    }
    for (const path of ['', ...paths(defaults, '')].filter((one) => isJsonObject(valueAt(defaults, one.split('/').slice(1))))) {
      const keys = path.split('/').slice(1)
      const { metadata } = await platform.hyperconverged()
      const { spec } = await platform.client.update(hyperConvergeds, {
        ...hyperConvergedObject,
        metadata,
        spec: keys.length === 0 ? {} : withValueAt(defaults, keys, {}),
      } as HyperConverged)
      assert.deepEqual(spec, defaults, `{} at ${path}`)
    }
  })
})

const hyperConvergedObject = { apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged' } as const
