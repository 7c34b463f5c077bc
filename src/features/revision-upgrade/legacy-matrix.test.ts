import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { type Family, revisionFormatOf, hasFormat, referencesOf } from '#features/instancetype/index.ts'
import { legacyShapes, ownedBy, type LegacyShape } from './legacy-revisions.fixture.ts'
import { linux, named, refsTo, small, SimulatedCluster } from './simulated-cluster.fixture.ts'

/** Returns a cluster with a VM whose revisions have a shape. */
function vmWith({ revision }: LegacyShape, situation: string): SimulatedCluster {
  const cluster = new SimulatedCluster()
  const [type, preference] = [revision('web', small), revision('web', linux)]
  const names = [type.metadata.name ?? '', preference.metadata.name ?? ''] as const
  const vm = cluster.addVm('web', named, refsTo(...names))
  for (const captured of [type, preference]) cluster.addRevision(ownedBy(vm, captured))
  if (situation === 'running') cluster.startGuest('web')
  if (situation === 'explicit') {
    cluster.patchVm('web', {
      spec: {
        instancetype: { ...named.instancetype, revisionName: names[0] },
        preference: { ...named.preference, revisionName: names[1] },
      },
    })
  }
  if (situation === 'in use by two') cluster.addVm('other', named, refsTo(...names))
  return cluster
}

function inForm(cluster: SimulatedCluster, vm: VirtualMachine): boolean {
  return referencesOf(vm).every(({ revision, family }) => {
    const found = cluster.revision(revision)
    return found !== undefined && hasFormat(found, family as Family, revisionFormatOf(cluster.config))
  })
}

suite('revisions of all KubeVirt releases', () => {
  for (const gates of [[], ['InstancetypeV1'], ['SharedRevisions'], ['InstancetypeV1', 'SharedRevisions']]) {
    for (const situation of ['halted', 'running', 'explicit', 'in use by two']) {
      for (const shape of legacyShapes) {
        test(`${shape.what}, ${situation}, [${gates.join()}]`, async () => {
          const cluster = vmWith(shape, situation)
          const names = situation === 'in use by two' ? ['web', 'other'] : ['web']
          const before = await Promise.all(names.map((name) => cluster.guestOf(cluster.vm(name))))
          const old = cluster.revisionNames()
          const started = situation === 'running' ? await cluster.startedAs('web') : undefined
          cluster.setGates(...gates)
          await cluster.settle()
          for (const [index, name] of names.entries()) {
            const vm = cluster.vm(name)
            assert.ok(inForm(cluster, vm), `${JSON.stringify(vm.status)} ${cluster.events.join('; ')}`)
            assert.equal(await cluster.guestOf(vm), before[index])
            for (const { written, revision } of referencesOf(vm)) assert.equal(written, revision)
          }
          if (started !== undefined) assert.equal(await cluster.startedAs('web'), started)
          const left = old.filter((name) => cluster.revisionNames().includes(name))
          const isMendedInPlace = gates.length === 0 && (shape.isCurrent === true || shape.what === 'v1beta1 that says it were v1alpha2')
          assert.deepEqual(left, isMendedInPlace ? old : [])
        })
      }
    }
  }
})
