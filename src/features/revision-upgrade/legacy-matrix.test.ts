import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { type Family, revisionFormatOf, hasFormat, referencesOf } from '#features/instancetype/index.ts'
import { legacyShapes, ownedBy, type LegacyShape } from './legacy-revisions.fixture.ts'
import { linux, named, refsTo, small, SimulatedCluster } from './simulated-cluster.fixture.ts'

/** Returns a cluster with a VM whose revisions have a shape. */
function vmWith({ revision }: LegacyShape, situation: string): SimulatedCluster {
  const town = new SimulatedCluster()
  const [type, preference] = [revision('web', small), revision('web', linux)]
  const names = [type.metadata.name ?? '', preference.metadata.name ?? ''] as const
  const vm = town.addVm('web', named, refsTo(...names))
  for (const captured of [type, preference]) town.addRevision(ownedBy(vm, captured))
  if (situation === 'running') town.startGuest('web')
  if (situation === 'explicit') {
    town.patchVm('web', {
      spec: {
        instancetype: { ...named.instancetype, revisionName: names[0] },
        preference: { ...named.preference, revisionName: names[1] },
      },
    })
  }
  if (situation === 'in use by two') town.addVm('other', named, refsTo(...names))
  return town
}

function inForm(town: SimulatedCluster, vm: VirtualMachine): boolean {
  return referencesOf(vm).every(({ revision, family }) => {
    const found = town.revision(revision)
    return found !== undefined && hasFormat(found, family as Family, revisionFormatOf(town.config))
  })
}

suite('revisions of all KubeVirt releases', () => {
  for (const gates of [[], ['InstancetypeV1'], ['SharedRevisions'], ['InstancetypeV1', 'SharedRevisions']]) {
    for (const situation of ['halted', 'running', 'explicit', 'in use by two']) {
      for (const shape of legacyShapes) {
        test(`${shape.what}, ${situation}, [${gates.join()}]`, async () => {
          const town = vmWith(shape, situation)
          const names = situation === 'in use by two' ? ['web', 'other'] : ['web']
          const before = await Promise.all(names.map((name) => town.guestOf(town.vm(name))))
          const old = town.revisionNames()
          const started = situation === 'running' ? await town.startedAs('web') : undefined
          town.setGates(...gates)
          await town.settle()
          for (const [index, name] of names.entries()) {
            const vm = town.vm(name)
            assert.ok(inForm(town, vm), `${JSON.stringify(vm.status)} ${town.events.join('; ')}`)
            assert.equal(await town.guestOf(vm), before[index])
            for (const { written, revision } of referencesOf(vm)) assert.equal(written, revision)
          }
          if (started !== undefined) assert.equal(await town.startedAs('web'), started)
          const left = old.filter((name) => town.revisionNames().includes(name))
          const isMendedInPlace = gates.length === 0 && (shape.isCurrent === true || shape.what === 'v1beta1 that says it were v1alpha2')
          assert.deepEqual(left, isMendedInPlace ? old : [])
        })
      }
    }
  }
})
