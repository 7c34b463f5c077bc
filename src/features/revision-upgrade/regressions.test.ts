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
function townWith({ revision }: LegacyShape): { town: SimulatedCluster; old: readonly [string, string] } {
  const town = new SimulatedCluster()
  const [type, preference] = [revision('web', small), revision('web', linux)]
  const old = [type.metadata.name ?? '', preference.metadata.name ?? ''] as const
  const vm = town.addVm('web', named, refsTo(...old))
  for (const captured of [type, preference]) town.addRevision(ownedBy(vm, captured))
  return { town, old }
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
    const { town, old } = townWith(unlabelled)
    await assert.rejects(town.settle(dyingAt(1, 'after')))
    assert.deepEqual(town.revisionNames().toSorted(), [...old, ...wanted.slice(0, 1)].toSorted())
    await town.settle()
    assert.deepEqual(namesIn(town.vm('web')), wanted)
    assert.deepEqual(town.revisionNames().toSorted(), wanted.toSorted())
    assert.deepEqual(
      town.events.filter((event) => event.startsWith('Warning')),
      [],
    )
  })

  for (const [what, data] of [
    ['something else', { ...unlabelled.revision('web', small).data, spec: { cpu: { guest: 7 }, memory: { guest: '1Gi' } } }],
    ['what nobody can read', { spec: '{' }],
  ] as const) {
    test(`1: ${what} with the new revision's name does not block the VM`, async () => {
      const { town } = townWith(unlabelled)
      const before = await town.guestOf(town.vm('web'))
      const intruder = unlabelled.revision('web', small)
      town.addRevision({ ...intruder, metadata: { ...intruder.metadata, name: wanted[0] ?? '', ownerReferences: [] }, data })
      await town.settle()
      const [name = ''] = namesIn(town.vm('web'))
      assert.match(name, new RegExp(`^${wanted[0]}-[0-9a-f]{10}$`))
      assert.equal(await town.guestOf(town.vm('web')), before)
      assert.deepEqual(town.revisionNames().toSorted(), [...wanted, name].toSorted())
      assert.deepEqual(town.revision(wanted[0] ?? '')?.data, data)
    })
  }

  test('2: a name in the spec is replaced, and resolved when a user writes it again', async () => {
    const { town, old } = townWith(unlabelled)
    const manifest = {
      instancetype: { ...named.instancetype, revisionName: old[0] },
      preference: { ...named.preference, revisionName: old[1] },
    }
    town.patchVm('web', { spec: manifest })
    const before = await town.guestOf(town.vm('web'))
    await town.settle()
    assert.equal(town.vm('web').spec.instancetype?.revisionName, wanted[0])
    assert.deepEqual(town.revisionNames().toSorted(), wanted.toSorted())
    town.patchVm('web', { spec: manifest })
    await town.settle()
    assert.equal(town.vm('web').spec.instancetype?.revisionName, old[0])
    assert.equal(await town.guestOf(town.vm('web')), before)
    // Also by the next release, which replaces what replaced it.
    town.setGates('InstancetypeV1')
    await town.settle()
    assert.equal(town.vm('web').spec.instancetype?.revisionName, old[0])
    assert.equal(await town.guestOf(town.vm('web')), before)
  })

  test('2: a name that another manager owns by server-side apply is kept, so that the next apply does not conflict', async () => {
    const { town, old } = townWith(unlabelled)
    const held = { 'f:spec': { 'f:instancetype': { 'f:name': {}, 'f:revisionName': {} } } }
    town.patchVm('web', {
      metadata: { managedFields: [{ manager: 'git', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: held }] },
      spec: {
        instancetype: { ...named.instancetype, revisionName: old[0] },
        preference: { ...named.preference, revisionName: old[1] },
      },
    })
    const before = await town.guestOf(town.vm('web'))
    await town.settle()
    const { instancetype, preference } = town.vm('web').spec
    assert.deepEqual([instancetype?.revisionName, preference?.revisionName], [old[0], wanted[1]])
    assert.equal(await town.guestOf(town.vm('web')), before)
    assert.deepEqual(town.revisionNames().toSorted(), wanted.toSorted())
  })

  test('2: a name in a spec that admission protects is kept, and still resolved', async () => {
    const { town, old } = townWith(unlabelled)
    town.patchVm('web', { spec: { instancetype: { ...named.instancetype, revisionName: old[0] } } })
    const before = await town.guestOf(town.vm('web'))
    await town.settle({
      process: 'upgrader',
      before: (verb, { kind }: ResourceType<unknown>) => {
        const isSpec = verb === 'patch' && kind === 'VirtualMachine' && town.vm('web').status?.steadyvm?.replaced === undefined
        if (isSpec && town.writes.at(-1) === 'create ControllerRevision') {
          town.writes.push('refused')
          throw forbidden(virtualMachines, 'web', 'a webhook does not like it')
        }
        return Promise.resolve()
      },
      after: () => {},
    })
    assert.equal(town.vm('web').spec.instancetype?.revisionName, old[0])
    assert.equal(await town.guestOf(town.vm('web')), before)
    assert.deepEqual(town.revisionNames().toSorted(), wanted.toSorted())
  })

  test('3: the start revision of a running guest is upgraded, and keeps its generation', async () => {
    const { town } = townWith(unlabelled)
    const { status } = town.startGuest('web')
    const before = await town.startedAs('web')
    await town.settle()
    const start = town.vmi('web').status?.virtualMachineRevisionName ?? ''
    assert.notEqual(start, status?.virtualMachineRevisionName)
    assert.match(start, /^revision-start-vm-.*-1$/)
    assert.equal(await town.startedAs('web'), before)
    assert.deepEqual(
      referencesOf(town.revision(start) ?? {}).map(({ written }) => written),
      wanted,
    )
    assert.deepEqual(town.revisionNames().toSorted(), [...wanted, start].toSorted())
  })

  test('5: a revision that another VM references is kept until that VM drops the reference', async () => {
    const { town, old } = townWith(unlabelled)
    town.addVm('other', named, refsTo(...old))
    const checker = new InvariantChecker(town.api)
    checker.check('the start')
    await town.settle()
    assert.deepEqual(namesIn(town.vm('other')), [wantedName('other', small), wantedName('other', linux)])
    assert.equal(town.revisionNames().length, 4)
  })

  for (const referencePolicy of ['expand', 'expandAll'] as const) {
    test(`6: VMs are also upgraded under the policy ${referencePolicy}`, async () => {
      const { town } = townWith(unlabelled)
      town.config = { ...town.config, referencePolicy }
      await town.settle()
      assert.deepEqual(namesIn(town.vm('web')), wanted)
    })
  }

  test('7: the live object may have been deleted', async () => {
    // In this town there is none.
    const { town } = townWith(bareSpec)
    await town.settle()
    assert.deepEqual(namesIn(town.vm('web')), wanted)
  })

  test('8: wrong labels are ignored', async () => {
    for (const what of ['v1alpha2 that says it were v1beta1', 'v1beta1 that says it were v1alpha2']) {
      const { town } = townWith(shape(what))
      await town.settle()
      for (const name of namesIn(town.vm('web'))) {
        const { metadata, data } = town.revision(name) ?? assert.fail(`${name} is gone`)
        assert.equal(data?.['apiVersion'], 'instancetype.kubevirt.io/v1beta1')
        assert.equal(metadata.labels?.['instancetype.kubevirt.io/object-version'], 'v1beta1')
      }
      assert.equal(town.revisionNames().length, 2)
    }
  })

  test('9: an invalid revision does not block the other one, and is reported once', async () => {
    const { town, old } = townWith(unlabelled)
    const broken = town.revision(old[1]) ?? assert.fail('there is no preference')
    town.addRevision({ ...broken, data: { apiVersion: 'instancetype.kubevirt.io/v9', kind: linux.kind, spec: {} } })
    await town.settle()
    assert.deepEqual(namesIn(town.vm('web')), [wanted[0], old[1]])
    const warnings = town.events.filter((event) => event.startsWith('Warning'))
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', new RegExp(`InstancetypeRevisionUpgradeFailed .*${old[1]}.*v9`))
  })

  test('9: a VM that is being deleted and kept by a finalizer has no old version', async () => {
    const { town } = townWith(unlabelled)
    town.patchVm('web', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] } })
    await town.settle()
    assert.deepEqual(town.revisionNames().toSorted(), wanted.toSorted())
  })

  test('11: an upgraded bare spec gets the object name from the VM', async () => {
    const { town } = townWith(bareSpec)
    await town.settle()
    const { data } = town.revision(wanted[0] ?? '') ?? assert.fail('it has another name')
    assert.deepEqual(data?.['metadata'], { name: 'small', uid: small.metadata.uid, generation: 3 })
    assert.equal(data['kind'], small.kind)
  })
})

suite('upgrades of a VM', () => {
  test('also upgrades revisions of its history', async () => {
    const { town } = townWith(shape('v1beta1 with labels and a short name'))
    const older = [1, 2].map((generation) => ({ ...small, metadata: { ...small.metadata, generation } }))
    for (const [index, { revision }] of [unlabelled, bareSpec].entries()) {
      town.addRevision(ownedBy(town.vm('web'), revision('web', older[index] ?? small)))
    }
    await town.settle()
    for (const object of older) assert.ok(town.revisionNames().includes(wantedName('web', object)), town.revisionNames().join())
    assert.equal(town.revisionNames().length, 4)
  })

  test('a revision without owner, or of an earlier VM, is adopted; one of another VM outlives that VM', async () => {
    const { town, old } = townWith(shape('v1beta1 with labels and a short name'))
    const [type, preference] = old.map((name) => town.revision(name) ?? assert.fail(name)) as [never, never]
    const namesake = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'gone', controller: true }
    town.addRevision(withOwners(type, []))
    town.addRevision(withOwners(preference, [namesake]))
    town.addVm('other', named, refsTo(...old))
    await town.settle()
    const owners = old.map((name) =>
      town.revision(name)?.metadata.ownerReferences?.map(({ name: owner, controller }) => `${owner} ${controller}`),
    )
    assert.deepEqual(owners, [
      ['web true', 'other false'],
      ['web true', 'other false'],
    ])
    town.api.remove(virtualMachines, { namespace, name: 'web' })
    assert.deepEqual(town.revisionNames().toSorted(), old.toSorted())
  })

  for (const [reason, revision] of [
    ['names another VM', unlabelled.revision('elsewhere', { ...small, metadata: { ...small.metadata, name: 'large' } })],
    ['names another object', unlabelled.revision('web', { ...small, metadata: { ...small.metadata, name: 'large' } })],
    ['was chosen by its author', { ...unlabelled.revision('web', small), metadata: { name: 'my-hardware', namespace } }],
    ['holds a bare spec of another VM', bareSpec.revision('elsewhere', small)],
  ] as const) {
    test(`copies a revision without owner and labels whose name ${reason}, and leaves it alone`, async () => {
      const { town } = townWith(shape('v1beta1 with labels and a short name'))
      const name = town.addRevision(revision).metadata.name ?? ''
      const before = town.revision(name)
      town.patchVm('web', { status: refsTo(name, namesIn(town.vm('web'))[1] ?? '') })
      await town.settle()
      assert.deepEqual(town.revision(name), before)
      const [copy = ''] = namesIn(town.vm('web'))
      assert.notEqual(copy, name)
      assert.deepEqual(
        town.revision(copy)?.metadata.ownerReferences?.map(({ uid }) => uid),
        [town.vm('web').metadata.uid],
      )
    })
  }

  test('keeps a revision that has another owner beside the VM', async () => {
    const { town, old } = townWith(unlabelled)
    const [type] = old
    const owners = town.revision(type)?.metadata.ownerReferences ?? []
    const other = { apiVersion: 'example.com/v1', kind: 'Backup', name: 'daily', uid: 'b' }
    town.addRevision(withOwners(town.revision(type) ?? assert.fail(type), [...owners, other]))
    await town.settle()
    assert.ok(town.revision(type))
  })

  test('a lost lease ends the pass between two requests, without an event', async () => {
    const { town } = townWith(unlabelled)
    const cache = new SimulatedCache(town.api)
    for (const resource of [virtualMachines, virtualMachineInstances, controllerRevisions]) cache.follow(resource)
    const lease = new AbortController()
    const gate: Gate = { process: 'upgrader', before: () => Promise.resolve(), after: () => lease.abort(new TransportError('lease lost')) }
    const before = town.writes.length
    const pass = town.upgrader(cache, gate)({ namespace, name: 'web' }, { signal: lease.signal })
    await assert.rejects(pass, { message: 'lease lost' })
    assert.deepEqual([town.writes.slice(before), town.events], [['create ControllerRevision'], []])
  })

  test('a halted VM needs five writes, and none in the next pass', async () => {
    const { town } = townWith(unlabelled)
    const before = town.writes.length
    await town.settle()
    const writes = town.writes.slice(before)
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
          const { town, old } = townWith(what)
          town.startGuest('web')
          town.patchVm('web', { spec: { instancetype: { ...named.instancetype, revisionName: old[0] } } })
          const before = [await town.guestOf(town.vm('web')), await town.startedAs('web')]
          new InvariantChecker(town.api).check('the start')
          const isWhole = await town.settle(dyingAt(write, moment)).then(
            () => true,
            () => false,
          )
          await town.settle()
          assert.deepEqual([await town.guestOf(town.vm('web')), await town.startedAs('web')], before)
          const start = town.vmi('web').status?.virtualMachineRevisionName ?? ''
          assert.deepEqual(
            town.revisionNames().toSorted(),
            [...new Set(namesIn(town.vm('web'))), start].toSorted(),
            `${what.what}, write ${write}`,
          )
          assert.equal(town.api.list(virtualMachineInstances).length, 1)
          if (isWhole) break
        }
      }
    })
  }
})
