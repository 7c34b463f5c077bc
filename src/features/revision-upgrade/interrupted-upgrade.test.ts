import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { legacyShapes, ownedBy, wantedName } from './legacy-revisions.fixture.ts'
import type { Gate } from './simulated-api.fixture.ts'
import { linux, named, refsTo, small, SimulatedCluster } from './simulated-cluster.fixture.ts'

/** Returns a process that dies before its n-th patch of a kind. */
function dyingBefore(plural: string, nth: number): Gate {
  let patches = 0
  return {
    process: 'upgrader',
    async before(verb, resource) {
      if (verb === 'patch' && resource.plural === plural) patches += 1
      if (patches >= nth) throw new Error('died')
    },
    after() {},
  }
}

suite('an upgrade after an interrupted one', () => {
  test('deletes ownerless revisions when the spec was renamed and the status was not', async () => {
    const cluster = new SimulatedCluster()
    const [shape] = legacyShapes
    const old = [small, linux].map((object) => cluster.addRevision(shape!.revision('web', object)).metadata.name ?? '')
    const [type = '', preference = ''] = old
    const spec = {
      instancetype: { ...named.instancetype, revisionName: type },
      preference: { ...named.preference, revisionName: preference },
    }
    cluster.addVm('web', spec)
    await assert.rejects(cluster.settle(dyingBefore(virtualMachines.plural, 2)))
    assert.equal(cluster.vm('web').spec.instancetype?.revisionName, wantedName('web', small))
    await cluster.settle()
    assert.deepEqual(cluster.revisionNames().toSorted(), [wantedName('web', linux), wantedName('web', small)])
  })

  test('deletes what it stored in a format that is no longer wanted', async () => {
    const cluster = new SimulatedCluster()
    const current = legacyShapes.find(({ isCurrent }) => isCurrent === true)
    const names = [small, linux].map((object) => current!.revision('web', object).metadata.name ?? '')
    const vm = cluster.addVm('web', named, refsTo(names[0] ?? '', names[1] ?? ''))
    for (const object of [small, linux]) cluster.addRevision(ownedBy(vm, current!.revision('web', object)))
    cluster.setGates('InstancetypeV1')
    await assert.rejects(cluster.settle(dyingBefore(virtualMachines.plural, 1)))
    assert.equal(cluster.revisionNames().length, 4)
    cluster.setGates()
    await cluster.settle()
    assert.deepEqual(cluster.revisionNames().toSorted(), names.toSorted())
    cluster.setGates('InstancetypeV1')
    await cluster.settle()
    assert.deepEqual(cluster.revisionNames().toSorted(), [wantedName('web', linux, 'v1'), wantedName('web', small, 'v1')])
  })

  test('deletes unused start revisions, and former ones', async () => {
    const cluster = new SimulatedCluster()
    const names = [wantedName('web', small), wantedName('web', linux)] as const
    const vm = cluster.addVm('web', named, refsTo(...names))
    const [current] = legacyShapes.filter(({ isCurrent }) => isCurrent === true)
    for (const object of [small, linux]) {
      const revision = ownedBy(vm, current!.revision('web', object))
      cluster.addRevision({ ...revision, metadata: { ...revision.metadata, name: wantedName('web', object) } })
    }
    cluster.startGuest('web')
    const started = await cluster.startedAs('web')
    for (const gates of [['InstancetypeV1'], ['SharedRevisions'], ['InstancetypeV1', 'SharedRevisions']]) {
      cluster.setGates(...gates)
      await assert.rejects(cluster.settle(dyingBefore(virtualMachineInstances.plural, 1)))
    }
    cluster.setGates()
    await cluster.settle()
    assert.equal(await cluster.startedAs('web'), started)
    const starts = cluster.revisionNames().filter((name) => name.startsWith('revision-start-vm-'))
    assert.deepEqual(starts, [cluster.vmi('web').status?.virtualMachineRevisionName])
  })
})
