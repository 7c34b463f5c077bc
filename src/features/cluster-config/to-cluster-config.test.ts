import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { defaultClusterConfig, type ClusterConfig } from './cluster-config.ts'
import { toClusterConfig } from './to-cluster-config.ts'
import { readClusterConfig } from './to-cluster-config.ts'

const withSpec = (spec: object, status?: object): KubeVirt =>
  deepFreeze({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec, status }) as KubeVirt
const withConfiguration = (configuration: object): KubeVirt => withSpec({ configuration })

interface Row {
  readonly reason: string
  readonly kubevirt: KubeVirt | undefined
  readonly differs: Partial<ClusterConfig>
}

const rows: readonly Row[] = [
  { reason: 'no object', kubevirt: undefined, differs: {} },
  { reason: 'an object without settings', kubevirt: withSpec({}), differs: {} },
  {
    reason: 'zero values that Go clients write',
    kubevirt: withConfiguration({
      cpuModel: '',
      evictionStrategy: null,
      vmRolloutStrategy: null,
      architectureConfiguration: null,
      instancetype: null,
    }),
    differs: {},
  },
  { reason: 'a CPU model', kubevirt: withConfiguration({ cpuModel: 'Haswell' }), differs: { cpuModel: 'Haswell' } },
  { reason: 'a request for CPU', kubevirt: withConfiguration({ cpuRequest: '200m' }), differs: { cpuRequest: '200m' } },
  {
    reason: 'overcommitment',
    kubevirt: withConfiguration({ developerConfiguration: { cpuAllocationRatio: 1, memoryOvercommit: 150 } }),
    differs: { cpuAllocationRatio: 1, memoryOvercommitPercent: 150 },
  },
  {
    reason: 'limits of live updates',
    kubevirt: withConfiguration({ liveUpdateConfiguration: { maxHotplugRatio: 2, maxCpuSockets: 8, maxGuest: '64Gi' } }),
    differs: { maxHotplugRatio: 2, maxCpuSockets: 8, maxGuest: '64Gi' },
  },
  {
    reason: 'policies',
    kubevirt: withConfiguration({
      evictionStrategy: 'LiveMigrate',
      vmRolloutStrategy: 'Stage',
      instancetype: { referencePolicy: 'expandAll' },
      network: { defaultNetworkInterface: 'bridge', permitBridgeInterfaceOnPodNetwork: false },
      commonInstancetypesDeployment: { enabled: false },
    }),
    differs: {
      evictionStrategy: 'LiveMigrate',
      rolloutStrategy: 'Stage',
      referencePolicy: 'expandAll',
      networkInterface: 'bridge',
      permitsPodBridge: false,
      commonInstancetypes: false,
    },
  },
  {
    reason: 'machine types by architecture',
    kubevirt: withConfiguration({
      architectureConfiguration: { defaultArchitecture: 'arm64', arm64: { machineType: 'virt-9.2' }, ppc64le: { machineType: 'pseries' } },
    }),
    differs: { architecture: 'arm64', machineTypes: { amd64: 'q35', arm64: 'virt-9.2', s390x: 's390-ccw-virtio' } },
  },
  {
    reason: 'the deprecated machine type, for all architectures',
    kubevirt: withConfiguration({ machineType: 'pc-q35-9.2', architectureConfiguration: { amd64: { machineType: 'q35' } } }),
    differs: { machineTypes: { amd64: 'pc-q35-9.2', arm64: 'pc-q35-9.2', s390x: 'pc-q35-9.2' } },
  },
  {
    reason: 'the architecture from the status',
    kubevirt: withSpec({}, { defaultArchitecture: 's390x' }),
    differs: { architecture: 's390x' },
  },
  {
    reason: 'update methods, in the order of the user',
    kubevirt: withSpec({ workloadUpdateStrategy: { workloadUpdateMethods: ['Evict', 'LiveMigrate'] } }),
    differs: { workloadUpdateMethods: ['Evict', 'LiveMigrate'] },
  },
  {
    reason: 'feature gates, of which one is also disabled',
    kubevirt: withConfiguration({ developerConfiguration: { featureGates: ['A', 'B'], disabledFeatureGates: ['A'] } }),
    differs: { featureGates: [...defaultClusterConfig.featureGates, 'B'] },
  },
  {
    reason: 'migration settings',
    kubevirt: withConfiguration({ migrations: { parallelMigrationsPerCluster: 9, bandwidthPerMigration: '64Mi', allowPostCopy: true } }),
    differs: {
      migrations: {
        ...defaultClusterConfig.migrations,
        parallelMigrationsPerCluster: 9,
        bandwidthPerMigration: '64Mi',
        allowPostCopy: true,
        allowWorkloadDisruption: true,
      },
    },
  },
  {
    reason: 'a bandwidth of 0 as no limit',
    kubevirt: withConfiguration({ migrations: { bandwidthPerMigration: 0 } }),
    differs: {},
  },
]

suite('toClusterConfig()', () => {
  for (const { reason, kubevirt, differs } of rows) {
    test(`reads ${reason}`, () => {
      assert.deepEqual(toClusterConfig(kubevirt), { ...defaultClusterConfig, ...differs })
    })
  }
})

suite('readClusterConfig()', () => {
  const bad = [
    ['spec.configuration.cpuRequest', { cpuRequest: 'much' }],
    ['spec.configuration.cpuRequest', { cpuRequest: '0' }],
    ['spec.configuration.developerConfiguration.cpuAllocationRatio', { developerConfiguration: { cpuAllocationRatio: 0 } }],
    ['spec.configuration.developerConfiguration.memoryOvercommit', { developerConfiguration: { memoryOvercommit: -1 } }],
    ['spec.configuration.liveUpdateConfiguration.maxHotplugRatio', { liveUpdateConfiguration: { maxHotplugRatio: 0 } }],
    ['spec.configuration.liveUpdateConfiguration.maxCpuSockets', { liveUpdateConfiguration: { maxCpuSockets: 1.5 } }],
    ['spec.configuration.liveUpdateConfiguration.maxGuest', { liveUpdateConfiguration: { maxGuest: '-1Gi' } }],
    ['spec.configuration.network.defaultNetworkInterface', { network: { defaultNetworkInterface: 'slirp' } }],
    ['spec.configuration.evictionStrategy', { evictionStrategy: 'Maybe' }],
    ['spec.configuration.vmRolloutStrategy', { vmRolloutStrategy: 'stage' }],
    ['spec.configuration.instancetype.referencePolicy', { instancetype: { referencePolicy: 'inline' } }],
  ] as const
  const last: ClusterConfig = {
    ...defaultClusterConfig,
    cpuRequest: '300m',
    cpuAllocationRatio: 3,
    memoryOvercommitPercent: 130,
    maxHotplugRatio: 3,
    maxCpuSockets: 33,
    maxGuest: '3Gi',
    networkInterface: 'bridge',
    evictionStrategy: 'External',
    rolloutStrategy: 'Stage',
    referencePolicy: 'expand',
    workloadUpdateMethods: ['Evict'],
  }

  for (const [field, configuration] of bad) {
    test(`keeps the last valid value for ${JSON.stringify(configuration)} only`, () => {
      const { config, problems } = readClusterConfig(withConfiguration({ ...configuration, cpuModel: 'Haswell' }), last)
      assert.deepEqual(
        problems.map((problem) => problem.field),
        [field],
      )
      const kept = Object.entries(config).filter(
        ([key, value]) => !isDeepStrictEqual(value, defaultClusterConfig[key as keyof ClusterConfig]),
      )
      const changed = kept.filter(([key]) => key !== 'cpuModel' && key !== 'machineTypes' && key !== 'featureGates')
      assert.equal(changed.length, 1, JSON.stringify(changed))
      assert.equal(changed[0]?.[1], last[changed[0]?.[0] as keyof ClusterConfig])
      assert.equal(config.cpuModel, 'Haswell')
    })
  }

  test('keeps the last valid limit of migrations when the new one is invalid', () => {
    const kubevirt = withConfiguration({ migrations: { parallelMigrationsPerCluster: 0, progressTimeout: 7 } })
    const { config, problems } = readClusterConfig(kubevirt, last)
    assert.equal(problems[0]?.field, 'spec.configuration.migrations.parallelMigrationsPerCluster')
    assert.deepEqual(config.migrations, { ...last.migrations, progressTimeout: 7 })
  })

  test('keeps the last valid update methods when one of them is unknown', () => {
    const kubevirt = withSpec({ workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate', 'Teleport'] } })
    const { config, problems } = readClusterConfig(kubevirt, last)
    assert.deepEqual(config.workloadUpdateMethods, ['Evict'])
    assert.equal(problems.length, 1)
  })

  test('resets a setting as soon as it is removed', () => {
    assert.deepEqual(readClusterConfig(withSpec({}), last), { config: defaultClusterConfig, problems: [] })
  })

  test('accepts any input, and is idempotent', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), (value) => {
        const kubevirt = withSpec({
          configuration: { liveUpdateConfiguration: value, cpuRequest: value, evictionStrategy: value, network: value },
        })
        const first = readClusterConfig(kubevirt, last)
        assert.deepEqual(readClusterConfig(kubevirt, last), first)
        assert.deepEqual(readClusterConfig(kubevirt, first.config), first)
      }),
    )
  })
})
