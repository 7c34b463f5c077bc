import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { revisionFormatOf, hasFormat, isShared, referencesOf } from '#features/instancetype/index.ts'
import { legacyShapes, withOwners, type LegacyShape } from './legacy-revisions.fixture.ts'
import { SimulatedSnapshots } from './simulated-snapshots.fixture.ts'
import { namespace } from './simulated-cluster.fixture.ts'

/**
 * All copies are in the format that is wanted and belong to whom they should, and nothing is left
 * of the old ones.
 */
function inspect(town: SimulatedSnapshots, ownerKind: string): void {
  town.checkSnapshots('all')
  const named = new Set<string>()
  for (const content of town.contents()) {
    for (const { revision, family } of referencesOf(content)) {
      const found = town.revision(revision)
      assert.ok(found && hasFormat(found, family, revisionFormatOf(town.config)), `${revision} is not in the format`)
      if (!isShared(found))
        assert.deepEqual(
          found.metadata.ownerReferences?.map(({ kind }) => kind),
          [ownerKind],
        )
      named.add(revision)
    }
  }
  const left = town.revisionNames().filter((name) => !named.has(name) && !isShared(town.revision(name) ?? fail(name)))
  assert.deepEqual(left, [])
}

function fail(name: string): never {
  throw new assert.AssertionError({ message: `${name} is gone` })
}

const [oldest] = legacyShapes as [LegacyShape]

suite('revisions of snapshots are upgraded (defect 4 of KubeVirt)', () => {
  for (const gates of [[], ['InstancetypeV1'], ['SharedRevisions'], ['InstancetypeV1', 'SharedRevisions']]) {
    for (const shape of legacyShapes) {
      for (const isRetained of [false, true]) {
        const whose = isRetained ? 'of content that has outlived its snapshot' : 'of a snapshot'
        test(`${shape.what}, ${whose}, [${gates.join()}], and back`, async () => {
          const town = new SimulatedSnapshots()
          town.addSnapshot('snap', shape, { isRetained })
          const owner = isRetained ? 'VirtualMachineSnapshotContent' : 'VirtualMachineSnapshot'
          town.setGates(...gates)
          await town.settleSnapshots()
          inspect(town, owner)
          town.setGates()
          await town.settleSnapshots()
          inspect(town, owner)
        })
      }
    }
  }

  test('keep the publisher labels of their instance types', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest)
    const vendor = { 'instancetype.kubevirt.io/vendor': 'me' }
    for (const name of town.revisionNames()) {
      const revision = town.revision(name) ?? fail(name)
      town.addRevision({ ...revision, metadata: { ...revision.metadata, labels: vendor } })
    }
    await town.settleSnapshots()
    for (const name of town.revisionNames()) assert.equal(town.revision(name)?.metadata.labels?.['instancetype.kubevirt.io/vendor'], 'me')
  })

  test('are reported on the snapshot', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest)
    await town.settleSnapshots()
    assert.deepEqual(
      town.events.map((event) => event.split(' ').slice(0, 2).join(' ')),
      ['Normal InstancetypeRevisionUpgraded'],
    )
  })

  test('wait for restores that read them', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest)
    const before = town.revisionNames()
    town.setRestore('snap', false)
    await town.settleSnapshots()
    assert.deepEqual(town.revisionNames(), before)
    town.setRestore('snap', true)
    await town.settleSnapshots()
    inspect(town, 'VirtualMachineSnapshot')
  })

  test('of content whose snapshot was deleted do not wait: a restore may wait for a snapshot of that name', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest, { isRetained: true })
    town.setRestore('snap', false)
    await town.settleSnapshots()
    inspect(town, 'VirtualMachineSnapshotContent')
  })

  test('that were created for a snapshot that was deleted before its content referenced them are deleted', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest, { isRetained: true })
    await town.settleSnapshots()
    const [content] = town.contents()
    const { name = '', uid = '' } = content?.metadata ?? {}
    for (const revision of town.revisionNames()) {
      const { metadata, data } = town.revision(revision) ?? fail(revision)
      const owner = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshotContent', name, uid, controller: true }
      const { labels = {} } = metadata
      const other = { name: `snap-${revision}`, namespace, labels, ownerReferences: [owner] }
      town.addRevision({ metadata: other, data: data ?? {}, revision: 0 })
    }
    assert.equal(town.revisionNames().length, 4)
    await town.settleSnapshots()
    inspect(town, 'VirtualMachineSnapshotContent')
  })

  test('that cannot be decoded are kept, and reported once', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest)
    const [broken = ''] = town.revisionNames()
    const revision = town.revision(broken) ?? fail(broken)
    town.addRevision({ ...revision, data: { apiVersion: 'instancetype.kubevirt.io/v9', spec: {} } })
    await town.settleSnapshots()
    await town.settleSnapshots()
    assert.ok(town.revision(broken))
    const failures = town.events.filter((event) => event.startsWith('Warning InstancetypeRevisionUpgradeFailed'))
    assert.equal(new Set(failures).size, 1)
    assert.ok(failures[0]?.includes(broken))
    // The other one is upgraded all the same.
    assert.equal(town.revisionNames().filter((name) => name.includes('-v1beta1-')).length, 1)
  })

  test('that two snapshots reference are copied before they are deleted', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('first', oldest)
    town.addSnapshot('second', oldest)
    const [first, second] = town.contents()
    assert.ok(first && second)
    const other: KubeObject & { spec: unknown } = { ...second, spec: { ...second.spec, source: first.spec.source } }
    town.api.put(virtualMachineSnapshotContents, other)
    await town.settleSnapshots()
    inspect(town, 'VirtualMachineSnapshot')
    assert.equal(town.revisionNames().length, 4)
  })

  for (const shape of legacyShapes)
    test(`without owner are adopted: ${shape.what}`, async () => {
      const town = new SimulatedSnapshots()
      town.addSnapshot('snap', shape)
      for (const name of town.revisionNames()) town.api.put(controllerRevisions, withOwners(town.revision(name) ?? fail(name), []))
      await town.settleSnapshots()
      inspect(town, 'VirtualMachineSnapshot')
      assert.equal(
        town.api.list(controllerRevisions).every(({ metadata }) => metadata.namespace === namespace),
        true,
      )
    })

  test('without owner and with a name that no capture has are copied and left alone', async () => {
    const town = new SimulatedSnapshots()
    town.addSnapshot('snap', oldest)
    const [content] = town.contents()
    const [reference] = referencesOf(content ?? {})
    const captured = town.revision(reference?.revision ?? '') ?? fail('the copy')
    town.addRevision({ ...captured, metadata: { name: 'my-hardware', namespace } })
    const before = town.revision('my-hardware')
    const virtualMachine = content?.spec.source.virtualMachine
    const instancetype = { ...virtualMachine?.spec?.instancetype, revisionName: 'my-hardware' }
    const spec = { ...content?.spec, source: { virtualMachine: { ...virtualMachine, spec: { ...virtualMachine?.spec, instancetype } } } }
    town.api.put(virtualMachineSnapshotContents, { ...content, spec } as KubeObject)
    await town.settleSnapshots()
    assert.deepEqual(town.revision('my-hardware'), before)
    assert.ok(town.contents().every((one) => referencesOf(one).every(({ revision }) => revision !== 'my-hardware')))
  })
})
