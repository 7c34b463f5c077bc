import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import * as hardware from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { ImpossibleChange } from './changes/apply-changes.ts'
import { Fleet } from './fleet.fixture.ts'
import { plan } from './plan.ts'
import type { Change, Manifest, Plan, PlannedVm } from './types.ts'
import { plannedResources, ClusterState } from './cluster-state/cluster-state.ts'

const web = { namespace: 'team-a', name: 'web' }
const small = { cpu: { guest: 1 }, memory: { guest: '1Gi' } }
const large = { cpu: { guest: 2 }, memory: { guest: '2Gi' } }

function vm(spec: object = {}, template: object = {}, metadata: object = {}): KubeObject {
  const whole = {
    runStrategy: 'Always',
    instancetype: { name: 'small' },
    template: { spec: { domain: { devices: {} }, ...template } },
    ...spec,
  }
  return { metadata: { ...web, ...metadata }, spec: whole } as KubeObject
}

function typeOf(name: string, spec: object): KubeObject {
  return { metadata: { name }, spec } as KubeObject
}

function manifest(object: KubeObject, kind = 'VirtualMachine', apiVersion = 'kubevirt.io/v1'): Change {
  return { kind: 'apply', manifest: { apiVersion, kind, ...object } as unknown as Manifest }
}

function clusterType(name: string, spec: object): Change {
  return manifest(typeOf(name, spec), 'VirtualMachineClusterInstancetype', 'instancetype.kubevirt.io/v1beta1')
}

/** A cluster in which the VM runs. */
async function fleetWith(...vms: KubeObject[]): Promise<Fleet> {
  const fleet = new Fleet(defaultClusterConfig)
  fleet.put(hardware.virtualMachineClusterInstancetypes, typeOf('small', small))
  fleet.put(hardware.virtualMachineClusterInstancetypes, typeOf('large', large))
  for (const object of vms) fleet.put(virtualMachines, object)
  await fleet.settle()
  return fleet
}

async function planOf(fleet: Fleet, ...changes: Change[]): Promise<Plan> {
  return plan(fleet.cluster, changes)
}

/** The one VM of a plan. */
function only({ virtualMachines: [planned, ...others] }: Plan): PlannedVm {
  assert.ok(planned !== undefined && others.length === 0)
  return planned
}

suite('plan()', () => {
  test('reports implied hardware changes: the card behind an additional disk is in another slot', async () => {
    const volume = (name: string): object => ({ name, containerDisk: { image: 'x' } })
    const withDisks = (...names: string[]): KubeObject => {
      const disks = names.map((name) => ({ name, disk: { bus: 'virtio' } }))
      return vm({}, { domain: { devices: { disks } }, volumes: names.map(volume) })
    }
    const fleet = await fleetWith(withDisks('boot'))
    const planned = only(await planOf(fleet, manifest(withDisks('boot', 'data'))))
    assert.equal(planned.effect, 'restart')
    const changes = new Map(planned.hardware?.map(({ name, ...change }) => [name, change]))
    assert.equal(changes.get('device dev-data: type')?.after, 'virtio-blk-pci')
    assert.notEqual(changes.get('device nic-default: addr')?.before, changes.get('device nic-default: addr')?.after)
    assert.deepEqual(
      [...changes.keys()].filter((name) => name.includes('boot') || name.includes('data')),
      ['device dev-data: type'],
    )
  })

  test('reports no hardware change when only host settings differ', async () => {
    const fleet = await fleetWith(vm())
    const planned = only(await planOf(fleet, manifest(vm({}, { domain: { devices: {}, ioThreadsPolicy: 'shared' } }))))
    assert.deepEqual([planned.fields.length > 0, planned.hardware], [true, undefined])
  })

  test('reports what a VM keeps when its type is edited, and how to take the new generation', async () => {
    const planned = only(await planOf(await fleetWith(vm()), clusterType('small', large)))
    assert.deepEqual([planned.effect, planned.reason], ['unchanged', 'captured small at generation 1; refresh the VM to take generation 2'])
  })

  test('names the object and generation of each new value', async () => {
    const fleet = await fleetWith(vm())
    const switched = only(await planOf(fleet, { kind: 'switch', vm: web, to: { family: 'instancetype', name: 'large' } }))
    const memory = switched.fields.find(({ path }) => path === 'spec.domain.memory.guest')
    assert.deepEqual(memory && { ...memory, effect: undefined }, {
      path: 'spec.domain.memory.guest',
      old: '1Gi',
      new: '2Gi',
      effect: undefined,
      source: 'instancetype',
      object: { kind: 'VirtualMachineClusterInstancetype', name: 'large', generation: 1 },
    })
  })

  test('combines an edit and a refresh', async () => {
    const planned = only(await planOf(await fleetWith(vm()), clusterType('small', large), { kind: 'refresh', vm: web }))
    assert.equal(planned.fields.find(({ path }) => path === 'spec.domain.cpu.sockets')?.new, 2)
  })

  test('refreshes a VM that is pinned by its spec', async () => {
    const fleet = await fleetWith(vm())
    const [revision] = fleet.cluster.list({
      group: 'apps',
      version: 'v1',
      kind: 'ControllerRevision',
      plural: 'controllerrevisions',
      namespaced: true,
    })
    const { name } = (revision as KubeObject).metadata ?? {}
    fleet.put(virtualMachines, { ...vm({ instancetype: { name: 'small', revisionName: name } }) })
    await fleet.settle()
    const planned = only(await planOf(fleet, clusterType('small', large), { kind: 'refresh', vm: web }))
    assert.notEqual(planned.effect, 'unchanged')
  })

  test('requires no restart of a halted VM', async () => {
    const fleet = await fleetWith(vm({ runStrategy: 'Halted' }))
    const planned = only(await planOf(fleet, { kind: 'switch', vm: web, to: { family: 'instancetype', name: 'large' } }))
    assert.deepEqual([planned.effect, planned.running], ['live', false])
  })

  test('names conflicting fields and missing objects', async () => {
    const fleet = await fleetWith(vm({}, { nodeSelector: { rack: 'a' } }))
    const picky = clusterType('picky', { ...large, nodeSelector: { rack: 'b' } })
    const conflict = only(await planOf(fleet, picky, { kind: 'switch', vm: web, to: { family: 'instancetype', name: 'picky' } }))
    assert.deepEqual([conflict.effect, conflict.reason?.includes('spec.template.spec.nodeSelector')], ['conflict', true])
    const blocked = only(await planOf(fleet, { kind: 'switch', vm: web, to: { family: 'instancetype', name: 'gone' } }))
    assert.deepEqual([blocked.effect, blocked.reason?.includes('"gone" not found'), blocked.notes], ['blocked', true, []])
    const kind = 'VirtualMachineInstancetype'
    const mistaken = only(await planOf(fleet, { kind: 'switch', vm: web, to: { family: 'instancetype', kind, name: 'large' } }))
    assert.deepEqual([mistaken.effect, mistaken.notes.length], ['blocked', 1])
  })

  test('reports admission errors, and plans the rest without the refused change', async () => {
    const fleet = await fleetWith(vm())
    const refused = only(await planOf(fleet, manifest(vm({ runStrategy: 'Sometimes' }))))
    assert.deepEqual([refused.effect, refused.reason], ['blocked', 'Invalid RunStrategy (Sometimes)'])
    const malformed = await planOf(fleet, manifest(vm({ runStrategy: 1 })))
    assert.deepEqual([malformed.refusals[0]?.messages.length, malformed.virtualMachines.length], [1, 0])
    const zero = await planOf(fleet, clusterType('small', { cpu: { guest: 1 }, memory: { guest: '-1Gi' } }))
    assert.deepEqual([zero.refusals.length, zero.summary.unchanged, zero.virtualMachines.length], [1, 0, 0])
  })

  test('refuses a second KubeVirt object, as admission does', async () => {
    const fleet = await fleetWith(vm())
    fleet.put(kubeVirts, { metadata: { namespace: 'kubevirt', name: 'kubevirt' } } as KubeObject)
    const second = { metadata: { namespace: 'kubevirt', name: 'other' }, spec: { configuration: { cpuModel: 'Haswell' } } } as KubeObject
    const { refusals, virtualMachines: planned } = await planOf(fleet, manifest(second, 'KubeVirt'))
    assert.deepEqual([refusals[0]?.messages, planned], [['Kubevirt is already created: kubevirt/kubevirt'], []])
  })

  test('includes a pending restart, and one that a change makes unnecessary', async () => {
    const fleet = await fleetWith(vm({}, { hostname: 'one' }))
    fleet.put(virtualMachines, {
      ...(fleet.get(virtualMachines, 'team-a', 'web') as KubeObject),
      spec: (vm({}, { hostname: 'two' }) as { spec: object }).spec,
    } as KubeObject)
    await fleet.settle()
    const further = only(await planOf(fleet, manifest(vm({}, { hostname: 'three' }))))
    assert.deepEqual([further.effect, further.notes], ['restart', ['waits for a restart already']])
    const back = only(await planOf(fleet, manifest(vm({}, { hostname: 'one' }))))
    assert.deepEqual([back.effect, back.notes], ['live', ['no longer needs the restart that it waits for']])
  })

  test('shows that a guest is stopped', async () => {
    const planned = only(await planOf(await fleetWith(vm()), manifest(vm({ runStrategy: 'Halted' }))))
    assert.deepEqual(
      planned.fields.map(({ path, old, new: wanted }) => [path, old, wanted]),
      [['virtualMachine.spec.runStrategy', 'Always', 'Halted']],
    )
  })

  test('does not report a refresh as a conflict of the current edit, but announces the conflict of the next one', async () => {
    const fleet = new Fleet(defaultClusterConfig)
    fleet.put(hardware.virtualMachineClusterInstancetypes, typeOf('small', small))
    fleet.put(hardware.virtualMachineClusterPreferences, typeOf('linux', {}))
    fleet.put(virtualMachines, vm({ preference: { name: 'linux' } }))
    await fleet.settle()
    const demanding = typeOf('linux', { requirements: { cpu: { guest: 4 } }, preferredSubdomain: 'lan' })
    const apply = manifest(demanding, 'VirtualMachineClusterPreference', 'instancetype.kubevirt.io/v1beta1')
    const refreshed = only(await planOf(fleet, apply, { kind: 'refresh', vm: web }))
    assert.deepEqual([refreshed.effect, refreshed.notes.length], ['restart', 1])
    const edited = only(
      await planOf(fleet, apply, { kind: 'refresh', vm: web }, manifest(vm({ preference: { name: 'linux' } }, { hostname: 'x' }))),
    )
    assert.equal(edited.effect, 'blocked')
  })

  test('never throws for any content of a file: it is refused or planned', async () => {
    const fleet = await fleetWith(vm())
    const kinds = ['VirtualMachine', 'KubeVirt'].map((kind) => [kind, 'kubevirt.io/v1'] as const)
    const sizes = ['VirtualMachineClusterInstancetype', 'VirtualMachineClusterPreference'].flatMap((kind) =>
      ['v1beta1', 'v1'].map((version) => [kind, `instancetype.kubevirt.io/${version}`] as const),
    )
    const keys = fc.constantFrom(
      'template',
      'spec',
      'domain',
      'cpu',
      'memory',
      'guest',
      'instancetype',
      'name',
      'kind',
      'devices',
      'configuration',
      'preference',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.dictionary(keys, tie('value')),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds, ...sizes), value, async ([kind, apiVersion], spec) => {
        const change = manifest(
          { metadata: { ...web, name: kind === 'VirtualMachine' ? 'web' : 'small' }, spec } as KubeObject,
          kind,
          apiVersion,
        )
        assert.equal((await planOf(fleet, change)).changes.length, 1)
      }),
      { numRuns: 500 },
    )
  })

  test('accepts objects of older versions', async () => {
    const old = manifest(typeOf('small', large), 'VirtualMachineClusterInstancetype', 'instancetype.kubevirt.io/v1alpha2')
    const planned = only(await planOf(await fleetWith(vm()), old, { kind: 'refresh', vm: web }))
    assert.equal(planned.fields.find(({ path }) => path === 'spec.domain.memory.guest')?.new, '2Gi')
  })

  test('treats v1 as another encoding of the same object', async () => {
    const fleet = await fleetWith(vm({ preference: { name: 'linux' } }))
    const old = { firmware: { preferredUseEfi: true }, cpu: { preferredCPUTopology: 'preferCores' } }
    fleet.put(hardware.virtualMachineClusterPreferences, typeOf('linux', old))
    await fleet.settle()
    const inV1 = (spec: object): Change => manifest(typeOf('linux', spec), 'VirtualMachineClusterPreference', 'instancetype.kubevirt.io/v1')
    const same = inV1({ firmware: { preferredEfi: {} }, cpu: { preferredCPUTopology: 'cores' } })
    assert.deepEqual(
      (await planOf(fleet, same)).changes.map(({ action }) => action),
      ['none'],
    )
    const edit = await planOf(fleet, inV1({ firmware: { preferredEfi: { secureBoot: false } } }), { kind: 'refresh', vm: web })
    assert.deepEqual(
      edit.changes.map(({ action }) => action),
      ['edit', 'refresh'],
    )
    assert.equal(only(edit).fields.find(({ path }) => path === 'spec.domain.firmware.bootloader.efi.secureBoot')?.new, false)
  })

  test('plans a new VM', async () => {
    const planned = only(await planOf(await fleetWith(), manifest(vm())))
    assert.deepEqual([planned.effect, planned.notes], ['live', ['a new VM']])
  })

  test('reports specs that another reference policy rewrites, and names that the guest loses', async () => {
    const fleet = await fleetWith(
      vm(),
      vm({ instancetype: undefined }, { domain: { devices: {}, memory: { guest: '1Gi' } } }, { name: 'plain' }),
    )
    const configuration = { instancetype: { referencePolicy: 'expandAll' } }
    const kubevirt = { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: { configuration } } as KubeObject
    const { virtualMachines: planned } = await planOf(fleet, manifest(kubevirt, 'KubeVirt'))
    assert.deepEqual(
      planned.map(({ name, effect, notes, fields }) => [name, effect, notes.length, fields.map(({ path }) => path)]),
      [
        ['web', 'live', 1, ['metadata.annotations[kubevirt.io/cluster-instancetype-name]']],
        ['plain', 'unchanged', 0, []],
      ],
    )
  })

  test('reports that no condition requests a restart for a new default of the cluster', async () => {
    const cpuModel = (model: string): Change =>
      manifest(
        { metadata: { namespace: 'kubevirt', name: 'kubevirt' }, spec: { configuration: { cpuModel: model } } } as KubeObject,
        'KubeVirt',
      )
    const fleet = await fleetWith(vm())
    const untold = only(await planOf(fleet, cpuModel('Haswell')))
    assert.deepEqual([untold.effect, untold.fields.map(({ path }) => path)], ['restart', ['spec.domain.cpu.model']])
    assert.match(untold.notes.join(), /no RestartRequired will say so/)
    const pinned = typeOf('pinned', { ...small, ioThreadsPolicy: 'shared' })
    fleet.put(hardware.virtualMachineClusterInstancetypes, pinned)
    const told = only(await planOf(fleet, cpuModel('Haswell'), { kind: 'switch', vm: web, to: { family: 'instancetype', name: 'pinned' } }))
    assert.equal(told.effect, 'restart')
    assert.doesNotMatch(told.notes.join(), /no RestartRequired/)
  })

  test('infers names from volumes, once', async () => {
    const fleet = await fleetWith()
    const claim = { metadata: { name: 'disk', labels: { 'instancetype.kubevirt.io/default-instancetype': 'large' } } }
    const cluster = ClusterState.of(
      plannedResources.map((resource) => [resource, fleet.list(resource)]),
      { get: async () => claim as never },
    )
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }]
    const inferring = vm({ instancetype: { inferFromVolume: 'root' } }, { volumes })
    assert.deepEqual(only(await plan(cluster, [manifest(inferring)])).notes, ['a new VM'])
    const lost = vm({ instancetype: { inferFromVolume: 'other' } }, { volumes })
    assert.equal(only(await plan(cluster, [manifest(lost)])).effect, 'blocked')
    // The same manifest once more, after admission has put the name in.
    const note = { 'steadyvm.io/inferred-from': JSON.stringify({ instancetype: { volume: 'root', name: 'large' } }) }
    fleet.put(virtualMachines, vm({ instancetype: { name: 'large' } }, { volumes }, { annotations: note }))
    await fleet.settle()
    assert.equal(only(await planOf(fleet, manifest(inferring))).effect, 'unchanged')
  })

  test('refuses impossible changes', async () => {
    const fleet = await fleetWith()
    await assert.rejects(planOf(fleet, { kind: 'refresh', vm: web }), ImpossibleChange)
    await assert.rejects(planOf(fleet, manifest(vm(), 'Pod', 'v1')), ImpossibleChange)
  })

  test('plans only the selected VMs, and counts those that are not affected', async () => {
    const other = vm({ instancetype: { name: 'large' } }, {}, { name: 'other' })
    const fleet = await fleetWith(vm(), other)
    const narrowed = await plan(fleet.cluster, [clusterType('small', large)], { selects: ({ metadata }) => metadata.name === 'other' })
    assert.deepEqual([narrowed.virtualMachines.length, narrowed.unconcerned], [0, 1])
  })
})
