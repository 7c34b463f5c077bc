import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { forbidden } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'
import { InvariantChecker } from './invariant-checker.fixture.ts'
import { legacyShapes, ownedBy, wantedName, withOwners, type LegacyShape } from './legacy-revisions.fixture.ts'
import { referencesOf } from '#features/instancetype/index.ts'
import type { Gate } from './simulated-api.fixture.ts'
import { SimulatedCache } from './simulated-cache.fixture.ts'
import { linux, named, namespace, refsTo, small, SimulatedCluster } from './simulated-cluster.fixture.ts'

const shape = (what: string): LegacyShape => legacyShapes.find((candidate) => candidate.what === what) as LegacyShape
const unlabelled = shape('v1beta1 without labels')
const bareSpec = shape('v1alpha1, the bare spec')

/** A VM `web` with captures of a shape, whose names these are. */
function clusterWith({ revision }: LegacyShape): { cluster: SimulatedCluster; old: readonly [string, string] } {
  const cluster = new SimulatedCluster()
  const [type, preference] = [revision('web', small), revision('web', linux)]
  const old = [type.metadata.name ?? '', preference.metadata.name ?? ''] as const
  const vm = cluster.addVm('web', named, refsTo(...old))
  for (const captured of [type, preference]) cluster.addRevision(ownedBy(vm, captured))
  return { cluster, old }
}

const wanted = [wantedName('web', small), wantedName('web', linux)]

function namesIn(vm: VirtualMachine): string[] {
  return referencesOf(vm).map(({ written }) => written)
}

/** Dies at a write. */
function dyingAt(write: number, moment: 'before' | 'after'): Gate {
  let count = 0
  const die = (at: 'before' | 'after'): void => {
    if (at === moment && count === write) throw new TransportError('the process was killed')
  }
  return {
    process: 'upgrader',
    before: (verb) => {
      if (verb !== 'get') count += 1
      die('before')
      return Promise.resolve()
    },
    after: (verb) => {
      if (verb !== 'get') die('after')
    },
  }
}

suite('defects of KubeVirt’s upgrade of revisions', () => {
  test('1: a crash after the creation of the new revision does not block the VM permanently', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    await assert.rejects(cluster.settle(dyingAt(1, 'after')))
    assert.deepEqual(cluster.revisionNames().toSorted(), [...old, ...wanted.slice(0, 1)].toSorted())
    await cluster.settle()
    assert.deepEqual(namesIn(cluster.vm('web')), wanted)
    assert.deepEqual(cluster.revisionNames().toSorted(), wanted.toSorted())
    assert.deepEqual(
      cluster.events.filter((event) => event.startsWith('Warning')),
      [],
    )
  })

  for (const [what, data] of [
    ['something else', { ...unlabelled.revision('web', small).data, spec: { cpu: { guest: 7 }, memory: { guest: '1Gi' } } }],
    ['undecodable data', { spec: '{' }],
  ] as const) {
    test(`1: ${what} with the new revision's name does not block the VM`, async () => {
      const { cluster } = clusterWith(unlabelled)
      const before = await cluster.guestOf(cluster.vm('web'))
      const intruder = unlabelled.revision('web', small)
      cluster.addRevision({ ...intruder, metadata: { ...intruder.metadata, name: wanted[0] ?? '', ownerReferences: [] }, data })
      await cluster.settle()
      const [name = ''] = namesIn(cluster.vm('web'))
      assert.match(name, new RegExp(`^${wanted[0]}-[0-9a-f]{10}$`))
      assert.equal(await cluster.guestOf(cluster.vm('web')), before)
      assert.deepEqual(cluster.revisionNames().toSorted(), [...wanted, name].toSorted())
      assert.deepEqual(cluster.revision(wanted[0] ?? '')?.data, data)
    })
  }

  test('2: a name in the spec is replaced, and resolved when a user writes it again', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    const manifest = {
      instancetype: { ...named.instancetype, revisionName: old[0] },
      preference: { ...named.preference, revisionName: old[1] },
    }
    cluster.patchVm('web', { spec: manifest })
    const before = await cluster.guestOf(cluster.vm('web'))
    await cluster.settle()
    assert.equal(cluster.vm('web').spec.instancetype?.revisionName, wanted[0])
    assert.deepEqual(cluster.revisionNames().toSorted(), wanted.toSorted())
    cluster.patchVm('web', { spec: manifest })
    await cluster.settle()
    assert.equal(cluster.vm('web').spec.instancetype?.revisionName, old[0])
    assert.equal(await cluster.guestOf(cluster.vm('web')), before)
    // Also by the next release, which replaces what replaced it.
    cluster.setGates('InstancetypeV1')
    await cluster.settle()
    assert.equal(cluster.vm('web').spec.instancetype?.revisionName, old[0])
    assert.equal(await cluster.guestOf(cluster.vm('web')), before)
  })

  test('2: a name that another manager owns by server-side apply is kept, so that the next apply does not conflict', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    const held = { 'f:spec': { 'f:instancetype': { 'f:name': {}, 'f:revisionName': {} } } }
    cluster.patchVm('web', {
      metadata: { managedFields: [{ manager: 'git', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: held }] },
      spec: {
        instancetype: { ...named.instancetype, revisionName: old[0] },
        preference: { ...named.preference, revisionName: old[1] },
      },
    })
    const before = await cluster.guestOf(cluster.vm('web'))
    await cluster.settle()
    const { instancetype, preference } = cluster.vm('web').spec
    assert.deepEqual([instancetype?.revisionName, preference?.revisionName], [old[0], wanted[1]])
    assert.equal(await cluster.guestOf(cluster.vm('web')), before)
    assert.deepEqual(cluster.revisionNames().toSorted(), wanted.toSorted())
  })

  test('2: a name in a spec that admission protects is kept, and still resolved', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    cluster.patchVm('web', { spec: { instancetype: { ...named.instancetype, revisionName: old[0] } } })
    const before = await cluster.guestOf(cluster.vm('web'))
    await cluster.settle({
      process: 'upgrader',
      before: (verb, { kind }: ResourceType<unknown>) => {
        const isSpec = verb === 'patch' && kind === 'VirtualMachine' && cluster.vm('web').status?.steadyvm?.replaced === undefined
        if (isSpec && cluster.writes.at(-1) === 'create ControllerRevision') {
          cluster.writes.push('refused')
          throw forbidden(virtualMachines, 'web', 'a webhook does not like it')
        }
        return Promise.resolve()
      },
      after: () => {},
    })
    assert.equal(cluster.vm('web').spec.instancetype?.revisionName, old[0])
    assert.equal(await cluster.guestOf(cluster.vm('web')), before)
    assert.deepEqual(cluster.revisionNames().toSorted(), wanted.toSorted())
  })

  test('3: the start revision of a running guest is upgraded, and keeps its generation', async () => {
    const { cluster } = clusterWith(unlabelled)
    const { status } = cluster.startGuest('web')
    const before = await cluster.startedAs('web')
    await cluster.settle()
    const start = cluster.vmi('web').status?.virtualMachineRevisionName ?? ''
    assert.notEqual(start, status?.virtualMachineRevisionName)
    assert.match(start, /^revision-start-vm-.*-1$/)
    assert.equal(await cluster.startedAs('web'), before)
    assert.deepEqual(
      referencesOf(cluster.revision(start) ?? {}).map(({ written }) => written),
      wanted,
    )
    assert.deepEqual(cluster.revisionNames().toSorted(), [...wanted, start].toSorted())
  })

  test('5: a revision that another VM references is kept until that VM drops the reference', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    cluster.addVm('other', named, refsTo(...old))
    const checker = new InvariantChecker(cluster.api)
    checker.check('the start')
    await cluster.settle()
    assert.deepEqual(namesIn(cluster.vm('other')), [wantedName('other', small), wantedName('other', linux)])
    assert.equal(cluster.revisionNames().length, 4)
  })

  for (const referencePolicy of ['expand', 'expandAll'] as const) {
    test(`6: VMs are also upgraded under the policy ${referencePolicy}`, async () => {
      const { cluster } = clusterWith(unlabelled)
      cluster.config = { ...cluster.config, referencePolicy }
      await cluster.settle()
      assert.deepEqual(namesIn(cluster.vm('web')), wanted)
    })
  }

  test('7: the live object may have been deleted', async () => {
    // This cluster has none.
    const { cluster } = clusterWith(bareSpec)
    await cluster.settle()
    assert.deepEqual(namesIn(cluster.vm('web')), wanted)
  })

  test('8: wrong labels are ignored', async () => {
    for (const what of ['v1alpha2 that says it were v1beta1', 'v1beta1 that says it were v1alpha2']) {
      const { cluster } = clusterWith(shape(what))
      await cluster.settle()
      for (const name of namesIn(cluster.vm('web'))) {
        const { metadata, data } = cluster.revision(name) ?? assert.fail(`${name} is gone`)
        assert.equal(data?.['apiVersion'], 'instancetype.kubevirt.io/v1beta1')
        assert.equal(metadata.labels?.['instancetype.kubevirt.io/object-version'], 'v1beta1')
      }
      assert.equal(cluster.revisionNames().length, 2)
    }
  })

  test('9: an invalid revision does not block the other one, and is reported once', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    const broken = cluster.revision(old[1]) ?? assert.fail('there is no preference')
    cluster.addRevision({ ...broken, data: { apiVersion: 'instancetype.kubevirt.io/v9', kind: linux.kind, spec: {} } })
    await cluster.settle()
    assert.deepEqual(namesIn(cluster.vm('web')), [wanted[0], old[1]])
    const warnings = cluster.events.filter((event) => event.startsWith('Warning'))
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', new RegExp(`InstancetypeRevisionUpgradeFailed .*${old[1]}.*v9`))
  })

  test('9: a VM that is being deleted and kept by a finalizer has no old version', async () => {
    const { cluster } = clusterWith(unlabelled)
    cluster.patchVm('web', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] } })
    await cluster.settle()
    assert.deepEqual(cluster.revisionNames().toSorted(), wanted.toSorted())
  })

  test('11: an upgraded bare spec gets the object name from the VM', async () => {
    const { cluster } = clusterWith(bareSpec)
    await cluster.settle()
    const { data } = cluster.revision(wanted[0] ?? '') ?? assert.fail('it has another name')
    assert.deepEqual(data?.['metadata'], { name: 'small', uid: small.metadata.uid, generation: 3 })
    assert.equal(data['kind'], small.kind)
  })
})

suite('upgrades of a VM', () => {
  test('also upgrades revisions of its history', async () => {
    const { cluster } = clusterWith(shape('v1beta1 with labels and a short name'))
    const older = [1, 2].map((generation) => ({ ...small, metadata: { ...small.metadata, generation } }))
    for (const [index, { revision }] of [unlabelled, bareSpec].entries()) {
      cluster.addRevision(ownedBy(cluster.vm('web'), revision('web', older[index] ?? small)))
    }
    await cluster.settle()
    for (const object of older) assert.ok(cluster.revisionNames().includes(wantedName('web', object)), cluster.revisionNames().join())
    assert.equal(cluster.revisionNames().length, 4)
  })

  test('a revision without owner, or of an earlier VM, is adopted; one of another VM outlives that VM', async () => {
    const { cluster, old } = clusterWith(shape('v1beta1 with labels and a short name'))
    const [type, preference] = old.map((name) => cluster.revision(name) ?? assert.fail(name)) as [never, never]
    const namesake = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'gone', controller: true }
    cluster.addRevision(withOwners(type, []))
    cluster.addRevision(withOwners(preference, [namesake]))
    cluster.addVm('other', named, refsTo(...old))
    await cluster.settle()
    const owners = old.map((name) =>
      cluster.revision(name)?.metadata.ownerReferences?.map(({ name: owner, controller }) => `${owner} ${controller}`),
    )
    assert.deepEqual(owners, [
      ['web true', 'other false'],
      ['web true', 'other false'],
    ])
    cluster.api.remove(virtualMachines, { namespace, name: 'web' })
    assert.deepEqual(cluster.revisionNames().toSorted(), old.toSorted())
  })

  for (const [reason, revision] of [
    ['names another VM', unlabelled.revision('elsewhere', { ...small, metadata: { ...small.metadata, name: 'large' } })],
    ['names another object', unlabelled.revision('web', { ...small, metadata: { ...small.metadata, name: 'large' } })],
    ['was chosen by its author', { ...unlabelled.revision('web', small), metadata: { name: 'my-hardware', namespace } }],
    ['holds a bare spec of another VM', bareSpec.revision('elsewhere', small)],
  ] as const) {
    test(`copies a revision without owner and labels whose name ${reason}, and leaves it alone`, async () => {
      const { cluster } = clusterWith(shape('v1beta1 with labels and a short name'))
      const name = cluster.addRevision(revision).metadata.name ?? ''
      const before = cluster.revision(name)
      cluster.patchVm('web', { status: refsTo(name, namesIn(cluster.vm('web'))[1] ?? '') })
      await cluster.settle()
      assert.deepEqual(cluster.revision(name), before)
      const [copy = ''] = namesIn(cluster.vm('web'))
      assert.notEqual(copy, name)
      assert.deepEqual(
        cluster.revision(copy)?.metadata.ownerReferences?.map(({ uid }) => uid),
        [cluster.vm('web').metadata.uid],
      )
    })
  }

  test('keeps a revision that has another owner beside the VM', async () => {
    const { cluster, old } = clusterWith(unlabelled)
    const [type] = old
    const owners = cluster.revision(type)?.metadata.ownerReferences ?? []
    const other = { apiVersion: 'example.com/v1', kind: 'Backup', name: 'daily', uid: 'b' }
    cluster.addRevision(withOwners(cluster.revision(type) ?? assert.fail(type), [...owners, other]))
    await cluster.settle()
    assert.ok(cluster.revision(type))
  })

  test('a lost lease ends the pass between two requests, without an event', async () => {
    const { cluster } = clusterWith(unlabelled)
    const cache = new SimulatedCache(cluster.api)
    for (const resource of [virtualMachines, virtualMachineInstances, controllerRevisions]) cache.follow(resource)
    const lease = new AbortController()
    const gate: Gate = { process: 'upgrader', before: () => Promise.resolve(), after: () => lease.abort(new TransportError('lease lost')) }
    const before = cluster.writes.length
    const pass = cluster.upgrader(cache, gate)({ namespace, name: 'web' }, { signal: lease.signal })
    await assert.rejects(pass, { message: 'lease lost' })
    assert.deepEqual([cluster.writes.slice(before), cluster.events], [['create ControllerRevision'], []])
  })

  test('a halted VM needs five writes, and none in the next pass', async () => {
    const { cluster } = clusterWith(unlabelled)
    const before = cluster.writes.length
    await cluster.settle()
    const writes = cluster.writes.slice(before)
    assert.deepEqual(writes, [
      'create ControllerRevision',
      'create ControllerRevision',
      'patch VirtualMachine',
      'delete ControllerRevision',
      'delete ControllerRevision',
    ])
  })

  for (const moment of ['before', 'after'] as const) {
    test(`when killed ${moment} any write, every reference has a revision`, async () => {
      for (const what of legacyShapes) {
        for (let write = 1; ; write += 1) {
          const { cluster, old } = clusterWith(what)
          cluster.startGuest('web')
          cluster.patchVm('web', { spec: { instancetype: { ...named.instancetype, revisionName: old[0] } } })
          const before = [await cluster.guestOf(cluster.vm('web')), await cluster.startedAs('web')]
          new InvariantChecker(cluster.api).check('the start')
          const isWhole = await cluster.settle(dyingAt(write, moment)).then(
            () => true,
            () => false,
          )
          await cluster.settle()
          assert.deepEqual([await cluster.guestOf(cluster.vm('web')), await cluster.startedAs('web')], before)
          const start = cluster.vmi('web').status?.virtualMachineRevisionName ?? ''
          assert.deepEqual(
            cluster.revisionNames().toSorted(),
            [...new Set(namesIn(cluster.vm('web'))), start].toSorted(),
            `${what.what}, write ${write}`,
          )
          assert.equal(cluster.api.list(virtualMachineInstances).length, 1)
          if (isWhole) break
        }
      }
    })
  }
})
