import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { toClusterConfig } from '#features/cluster-config/index.ts'
import { check } from './check.ts'
import { cleanInventory, deployment, from, machine, release, to } from './clean-cluster.fixture.ts'
import type { FindingId } from './finding.ts'
import { rightsFor } from './operator-rights.ts'
import { planSteps } from './plan.ts'
import { preventsUpgrade, preflightResultOf } from './report.ts'
import type { UpgradeInventory } from './inventory.ts'

type Change = (inventory: UpgradeInventory) => Partial<UpgradeInventory>

/** Changes spec or status of the KubeVirt object. */
function withKubevirt({ kubevirt }: UpgradeInventory, spec: object, status: object = {}): Partial<UpgradeInventory> {
  const changed = { ...kubevirt, spec: { ...kubevirt.spec, ...spec }, status: { ...kubevirt.status, ...status } }
  return { kubevirt: changed, kubevirts: [changed], config: toClusterConfig(changed) }
}

const withGates =
  (old: object, next: object, developerConfiguration: object): Change =>
  (inventory) => ({
    ...withKubevirt(inventory, { configuration: { developerConfiguration } }),
    releases: [release(from, { featureGates: { ...old } }), release(to, { featureGates: { ...next } })],
  })

/** A release whose node agent requests CPU, on nodes of which n1 is full of guests. */
const crowded =
  (request: string): Change =>
  ({ nodes, pods }) => ({
    objects: [daemonSetWith(request)],
    nodes: nodes.map((one) => (one.metadata.name === 'n1' ? { ...one, status: { ...one.status, allocatable: { cpu: '150m' } } } : one)),
    pods,
  })

function daemonSetWith(cpu: string): KubeObject {
  const containers = [{ name: 'virt-handler', resources: { requests: { cpu } } }]
  const object = { kind: 'DaemonSet', metadata: { name: 'virt-handler' }, spec: { template: { spec: { containers } } } }
  return object
}

const quiet: readonly (readonly [string, Change])[] = [
  ['as it is', () => ({})],
  ['on the same version', () => ({ to: from })],
  ['with an unknown feature gate', withGates({}, {}, { featureGates: ['Sidecar'] })],
  ['with a graduated feature gate that is enabled', withGates({ A: { default: true } }, { A: { default: true, locked: true } }, {})],
  ['with a machine type that is missing today, too', (inventory) => ({ vms: [withMachine('pc-q35-1.0')], releases: inventory.releases })],
  [
    'with a guest whose owner has disabled updates',
    (inventory) => ({ guests: [stuck(inventory, { 'kubevirt.io/workloadUpdateMigrationAbortion': '' })] }),
  ],
  ['with a node agent that just fits', crowded('50m')],
  ['without guests and update methods', (inventory) => ({ ...withKubevirt(inventory, { workloadUpdateStrategy: {} }), guests: [] })],
]

function withMachine(type: string): UpgradeInventory['vms'][number] {
  const { vm } = machine('old', 'n1')
  return { ...vm, spec: { ...vm.spec, template: { spec: { domain: { devices: {}, machine: { type } } } } } } as typeof vm
}

function stuck({ guests }: UpgradeInventory, annotations: Record<string, string> = {}): UpgradeInventory['guests'][number] {
  const [guest] = guests
  assert.ok(guest)
  const conditions = [{ type: 'LiveMigratable', status: 'False', reason: 'HostDeviceNotLiveMigratable' }] as const
  return { ...guest, metadata: { ...guest.metadata, annotations }, status: { ...guest.status, conditions: [...conditions] } }
}

const gateOn = { featureGates: ['A'] }
const loud: readonly (readonly [string, FindingId, Change, RegExp])[] = [
  ['a node agent for which a node has no room', 'NoRoomForAgent', crowded('100m'), /requests.{1,9}cpu.{1,9}50m/],
  ['a feature gate that is removed', 'FeatureGateTurnsOff', withGates({ A: { default: false } }, {}, gateOn), /"featureGates":\[\]/],
  [
    'a feature gate whose default is enabled',
    'FeatureGateTurnsOn',
    withGates({ A: { default: false } }, { A: { default: true } }, {}),
    /"disabledFeatureGates":\["A"\]/,
  ],
  [
    'a feature gate that graduates',
    'FeatureGateTurnsOn',
    withGates({ A: { default: false } }, { A: { default: true, locked: true } }, { disabledFeatureGates: ['A'] }),
    /"featureGates":\["A"\],"disabledFeatureGates":\[\]/,
  ],
  [
    'a feature gate whose default is disabled',
    'FeatureGateTurnsOff',
    withGates({ A: { default: true } }, { A: { default: false } }, {}),
    /"featureGates":\["A"\]/,
  ],
  [
    'an upgrade path without an intermediate release',
    'PathNotAllowed',
    () => ({ releases: [release(from), release(to, { upgradesFrom: 'v0.1.9' })] }),
    /release build --version v0\.1\.9$/,
  ],
  ['a release that does not exist', 'ReleaseMissing', () => ({ to: 'v0.9.0' }), /^steadyvm release build --version v0\.9\.0$/],
  ['an invalid release version', 'ReleaseMissing', () => ({ to: 'latest' }), /^kubectl patch kubevirt\/kubevirt .*"imageTag":"v0\.1\.5"/],
  [
    'a guest that is not migratable',
    'GuestCannotMove',
    (inventory) => ({ guests: [stuck(inventory)] }),
    /^kubectl annotate vmi\/web -n default /,
  ],
  [
    'a machine type that is removed',
    'MachineTypeVanishes',
    (inventory) => ({
      vms: [withMachine('pc-i440fx-7.2')],
      releases: [
        release(from),
        release(to, { qemu: { version: '10.0.0', machineTypes: [], machineAliases: { q35: 'pc-q35-7.2' }, cpuModels: [] } }),
      ],
      guests: inventory.guests.slice(1),
    }),
    /"machine":\{"type":"pc"\}/,
  ],
  [
    'a right of a subresource',
    'OperatorLacksRight',
    () => ({
      operator: { user: 'system:serviceaccount:kv:op', missing: [{ group: 'kubevirt.io', resource: 'kubevirts/status', verb: 'patch' }] },
    }),
    /--resource=kubevirts\.kubevirt\.io\/status && .* --serviceaccount=kv:op$/,
  ],
  [
    'a right of a subresource with a slash',
    'OperatorLacksRight',
    () => ({ operator: { user: 'op', missing: [{ group: 'g', resource: 'vms/evacuate/cancel', verb: 'update' }] } }),
    /clusterrole virt-operator-vms\.g-evacuate-cancel --verb=update --resource=vms\.g\/evacuate\/cancel && /,
  ],
]

const younger = { version: '10.0.0', machineTypes: ['pc-q35-10.0', 'pc-q35-7.2'], machineAliases: { q35: 'pc-q35-10.0' }, cpuModels: [] }
const refuses = { 'steadyvm.io/hardware-changes': 'Refuse' }

suite('hardware changes by a newer QEMU', () => {
  const pinned = { configuration: { architectureConfiguration: { amd64: { machineType: 'pc-q35-7.2' } } } }
  const preference = (type: string): UpgradeInventory['preferences'][number] => ({
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClusterPreference',
    metadata: { name: 'linux' },
    spec: { machine: { preferredMachineType: type } },
  })
  const named = ({ vms: [vm] }: UpgradeInventory, annotations: Record<string, string>): UpgradeInventory['vms'] => {
    assert.ok(vm)
    return [{ ...vm, metadata: { ...vm.metadata, annotations }, spec: { ...vm.spec, preference: { name: 'linux' } } }]
  }
  const rows: readonly (readonly [string, Change, string])[] = [
    ['is reported', (inventory) => ({ vms: named(inventory, {}), preferences: [preference('q35')] }), 'warning vm/default/web'],
    [
      'stops the upgrade when the VM has policy Refuse',
      (inventory) => ({ vms: named(inventory, refuses), preferences: [preference('q35')] }),
      'forceable vm/default/web',
    ],
    [
      'is no finding when the VM has policy Allow',
      (inventory) => ({ vms: named(inventory, { 'steadyvm.io/hardware-changes': 'Allow' }), preferences: [preference('q35')] }),
      '',
    ],
    [
      'is no finding when a versioned machine type is preferred',
      (inventory) => ({ vms: named(inventory, refuses), preferences: [preference('pc-q35-7.2')] }),
      '',
    ],
    ['is no finding when only the cluster names a versioned machine type', (inventory) => ({ vms: named(inventory, refuses) }), ''],
  ]
  for (const [name, change, expected] of rows) {
    test(`that a preference asks for ${name}`, () => {
      const inventory = cleanInventory()
      const releases = [release(from), release(to, { qemu: younger })]
      const found = check({ ...inventory, ...withKubevirt(inventory, pinned), releases, ...change(inventory) })
      assert.equal(found.map(({ severity, object }) => `${severity} ${object}`).join(), expected)
      for (const { id, command } of found)
        assert.match(`${id}: ${command}`, /^HardwareChanges: kubectl patch vm\/web .*"type":"pc-q35-7.2"/)
    })
  }
})

suite('check()', () => {
  for (const [name, change] of quiet) {
    test(`finds nothing in a cluster ${name}`, () => {
      const inventory = cleanInventory()
      assert.deepEqual(check({ ...inventory, ...change(inventory) }), [])
    })
  }
  for (const [name, id, change, command] of loud) {
    test(`finds ${name}`, () => {
      const inventory = cleanInventory()
      const found = check({ ...inventory, ...change(inventory) })
      assert.deepEqual(
        found.map((finding) => finding.id),
        [id],
      )
      assert.match(found[0]?.command ?? '', command)
    })
  }
})

test('the commands of several feature gates resolve all of them', () => {
  const [off, on] = [{ default: false }, { default: true }]
  const change = withGates({ A: off, B: off, C: on }, { A: on, B: on, C: off }, {})
  const inventory = cleanInventory()
  const commands = check({ ...inventory, ...change(inventory) }).map(({ command }) => command)
  assert.equal(commands.length, 3)
  assert.match(commands.at(-1) ?? '', /"featureGates":\["C"\],"disabledFeatureGates":\["A","B"\]/)
})

suite('the finding that stops an upgrade', () => {
  const inventory = cleanInventory()
  const forced = {
    ...inventory.kubevirt,
    metadata: { ...inventory.kubevirt.metadata, annotations: { 'steadyvm.io/force-upgrade-to': to } },
  }
  const stops = (change: Partial<UpgradeInventory>, kubevirt = inventory.kubevirt, version = to): number =>
    check({ ...inventory, ...change }).filter((finding) => preventsUpgrade(finding, version, kubevirt)).length
  const gone = withGates({ A: { default: false } }, {}, gateOn)(inventory)

  test('is a blocking one, or a forceable one that is not forced', () => {
    assert.equal(stops({ guests: [stuck(inventory)] }), 0, 'a warning')
    assert.equal(stops(gone), 1)
    assert.equal(stops(gone, forced), 0)
    assert.equal(stops(gone, forced, 'v0.3.0'), 1, 'another version was forced')
    assert.equal(stops({ releases: [] }, forced), 1, 'nothing can be installed')
  })

  test('is not an unready component that a rollback replaces', () => {
    const controller = deployment('virt-controller')
    const down = {
      deployments: [
        {
          ...controller,
          metadata: { ...controller.metadata, annotations: { 'kubevirt.io/install-strategy-version': 'v0.1.5' } },
          status: { ...controller.status, availableReplicas: 0 },
        },
      ],
    }
    assert.equal(stops(down), 1, 'an upgrade does not begin')
    const back = check({ ...inventory, ...down, to: 'v0.1.4', releases: [...inventory.releases, release('v0.1.4')] })
    assert.deepEqual(
      back.map(({ id, severity }) => [id, severity]),
      [['ComponentNotReady', 'warning']],
    )
  })

  test('is stored with the other findings', () => {
    const findings = check({ ...inventory, ...gone, guests: [stuck(inventory)] })
    const written = preflightResultOf({ from, to, findings, stopping: [], steps: planSteps(inventory), gaps: ['x'] }, inventory.kubevirt)
    assert.deepEqual(
      written.findings.map(({ id, blocks }) => [id, blocks]),
      [
        ['FeatureGateTurnsOff', true],
        ['GuestCannotMove', false],
      ],
    )
    assert.deepEqual([written.gaps, written.steps.length], [['x'], 7])
  })
})

suite('planSteps()', () => {
  test('upgrades from the node agents, and downgrades from the API', () => {
    const order = (inventory: UpgradeInventory): string[] => planSteps(inventory).map(({ stage }) => stage)
    const inventory = cleanInventory()
    assert.deepEqual(order(inventory), ['Preflight', 'Expand', 'NodeAgents', 'Controllers', 'API', 'Workloads', 'Contract'])
    assert.deepEqual(order({ ...inventory, to: 'v0.1.0' }), [
      'Preflight',
      'Expand',
      'API',
      'Controllers',
      'NodeAgents',
      'Workloads',
      'Contract',
    ])
  })

  test('estimates the duration from the number of guests and the durations of migrations', () => {
    const inventory = cleanInventory()
    const seconds = (guests: UpgradeInventory['guests']): number =>
      planSteps({ ...inventory, guests }).find(({ stage }) => stage === 'Workloads')?.seconds ?? 0
    const [guest] = inventory.guests
    assert.ok(guest)
    const migrationState = { startTimestamp: '2026-11-20T10:00:00Z', endTimestamp: '2026-11-20T10:01:40Z', completed: true }
    const slow = { ...guest, status: { ...guest.status, migrationState } } as typeof guest
    assert.equal(seconds([slow]), 100)
    assert.equal(seconds(Array.from({ length: 11 }, () => slow)), 300, 'one alone, then five at a time')
    assert.ok(seconds([guest]) < 100)
  })
})

test('rightsFor() lists the objects that are written, and the rights that are granted', () => {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'x' },
    rules: [{ apiGroups: ['a'], resources: ['b'], verbs: ['get'] }],
  }
  const names = rightsFor([role]).map(({ group, resource, verb }) => `${verb} ${resource}.${group}`)
  assert.ok(names.includes('create clusterroles.rbac.authorization.k8s.io'))
  assert.ok(names.includes('get b.a'))
})
