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
function inspect(cluster: SimulatedSnapshots, ownerKind: string): void {
  cluster.checkSnapshots('all')
  const named = new Set<string>()
  for (const content of cluster.contents()) {
    for (const { revision, family } of referencesOf(content)) {
      const found = cluster.revision(revision)
      assert.ok(found && hasFormat(found, family, revisionFormatOf(cluster.config)), `${revision} is not in the format`)
      if (!isShared(found))
        assert.deepEqual(
          found.metadata.ownerReferences?.map(({ kind }) => kind),
          [ownerKind],
        )
      named.add(revision)
    }
  }
  const left = cluster.revisionNames().filter((name) => !named.has(name) && !isShared(cluster.revision(name) ?? fail(name)))
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
          const cluster = new SimulatedSnapshots()
          cluster.addSnapshot('snap', shape, { isRetained })
          const owner = isRetained ? 'VirtualMachineSnapshotContent' : 'VirtualMachineSnapshot'
          cluster.setGates(...gates)
          await cluster.settleSnapshots()
          inspect(cluster, owner)
          cluster.setGates()
          await cluster.settleSnapshots()
          inspect(cluster, owner)
        })
      }
    }
  }

  test('keep the publisher labels of their instance types', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest)
    const vendor = { 'instancetype.kubevirt.io/vendor': 'me' }
    for (const name of cluster.revisionNames()) {
      const revision = cluster.revision(name) ?? fail(name)
      cluster.addRevision({ ...revision, metadata: { ...revision.metadata, labels: vendor } })
    }
    await cluster.settleSnapshots()
    for (const name of cluster.revisionNames())
      assert.equal(cluster.revision(name)?.metadata.labels?.['instancetype.kubevirt.io/vendor'], 'me')
  })

  test('are reported on the snapshot', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest)
    await cluster.settleSnapshots()
    assert.deepEqual(
      cluster.events.map((event) => event.split(' ').slice(0, 2).join(' ')),
      ['Normal InstancetypeRevisionUpgraded'],
    )
  })

  test('wait for restores that read them', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest)
    const before = cluster.revisionNames()
    cluster.setRestore('snap', false)
    await cluster.settleSnapshots()
    assert.deepEqual(cluster.revisionNames(), before)
    cluster.setRestore('snap', true)
    await cluster.settleSnapshots()
    inspect(cluster, 'VirtualMachineSnapshot')
  })

  test('of content whose snapshot was deleted do not wait: a restore may wait for a snapshot of that name', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest, { isRetained: true })
    cluster.setRestore('snap', false)
    await cluster.settleSnapshots()
    inspect(cluster, 'VirtualMachineSnapshotContent')
  })

  test('that were created for a snapshot that was deleted before its content referenced them are deleted', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest, { isRetained: true })
    await cluster.settleSnapshots()
    const [content] = cluster.contents()
    const { name = '', uid = '' } = content?.metadata ?? {}
    for (const revision of cluster.revisionNames()) {
      const { metadata, data } = cluster.revision(revision) ?? fail(revision)
      const owner = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshotContent', name, uid, controller: true }
      const { labels = {} } = metadata
      const other = { name: `snap-${revision}`, namespace, labels, ownerReferences: [owner] }
      cluster.addRevision({ metadata: other, data: data ?? {}, revision: 0 })
    }
    assert.equal(cluster.revisionNames().length, 4)
    await cluster.settleSnapshots()
    inspect(cluster, 'VirtualMachineSnapshotContent')
  })

  test('that cannot be decoded are kept, and reported once', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest)
    const [broken = ''] = cluster.revisionNames()
    const revision = cluster.revision(broken) ?? fail(broken)
    cluster.addRevision({ ...revision, data: { apiVersion: 'instancetype.kubevirt.io/v9', spec: {} } })
    await cluster.settleSnapshots()
    await cluster.settleSnapshots()
    assert.ok(cluster.revision(broken))
    const failures = cluster.events.filter((event) => event.startsWith('Warning InstancetypeRevisionUpgradeFailed'))
    assert.equal(new Set(failures).size, 1)
    assert.ok(failures[0]?.includes(broken))
    // The other one is upgraded all the same.
    assert.equal(cluster.revisionNames().filter((name) => name.includes('-v1beta1-')).length, 1)
  })

  test('that two snapshots reference are copied before they are deleted', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('first', oldest)
    cluster.addSnapshot('second', oldest)
    const [first, second] = cluster.contents()
    assert.ok(first && second)
    const other: KubeObject & { spec: unknown } = { ...second, spec: { ...second.spec, source: first.spec.source } }
    cluster.api.put(virtualMachineSnapshotContents, other)
    await cluster.settleSnapshots()
    inspect(cluster, 'VirtualMachineSnapshot')
    assert.equal(cluster.revisionNames().length, 4)
  })

  for (const shape of legacyShapes)
    test(`without owner are adopted: ${shape.what}`, async () => {
      const cluster = new SimulatedSnapshots()
      cluster.addSnapshot('snap', shape)
      for (const name of cluster.revisionNames()) cluster.api.put(controllerRevisions, withOwners(cluster.revision(name) ?? fail(name), []))
      await cluster.settleSnapshots()
      inspect(cluster, 'VirtualMachineSnapshot')
      assert.equal(
        cluster.api.list(controllerRevisions).every(({ metadata }) => metadata.namespace === namespace),
        true,
      )
    })

  test('without owner and with a name that no capture has are copied and left alone', async () => {
    const cluster = new SimulatedSnapshots()
    cluster.addSnapshot('snap', oldest)
    const [content] = cluster.contents()
    const [reference] = referencesOf(content ?? {})
    const captured = cluster.revision(reference?.revision ?? '') ?? fail('the copy')
    cluster.addRevision({ ...captured, metadata: { name: 'my-hardware', namespace } })
    const before = cluster.revision('my-hardware')
    const virtualMachine = content?.spec.source.virtualMachine
    const instancetype = { ...virtualMachine?.spec?.instancetype, revisionName: 'my-hardware' }
    const spec = { ...content?.spec, source: { virtualMachine: { ...virtualMachine, spec: { ...virtualMachine?.spec, instancetype } } } }
    cluster.api.put(virtualMachineSnapshotContents, { ...content, spec } as KubeObject)
    await cluster.settleSnapshots()
    assert.deepEqual(cluster.revision('my-hardware'), before)
    assert.ok(cluster.contents().every((one) => referencesOf(one).every(({ revision }) => revision !== 'my-hardware')))
  })
})
