import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { startTestCluster } from '#features/cluster.fixture.ts'
import { defaultForm as own, instancetypeOf, revisionOf, vmOf } from '../instancetype.fixture.ts'
import { claimedAtAnnotation, claimGraceMs } from './claim.ts'
import { holderOf, type Holder } from '../codec/holder.ts'
import { hasFormat, sharedLabel, type RevisionFormat } from '../codec/storage-format.ts'
import { revisionLabels } from '../codec/labels.ts'
import { storeRevision } from './store.ts'

const shared: RevisionFormat = { ...own, sharing: 'shared' }
const small = instancetypeOf()
const namespace = 'default'

interface Setting {
  readonly vm: VirtualMachine
  readonly store: (format?: RevisionFormat, holder?: Holder) => Promise<string>
  readonly put: (revision: ControllerRevision) => Promise<ControllerRevision>
  readonly stored: (name: string) => Promise<ControllerRevision>
  readonly count: () => Promise<number>
  /** Sets the time, in milliseconds since the start. */
  readonly at: (ms: number) => void
}

async function withVm(use: (setting: Setting) => Promise<void>): Promise<void> {
  await using cluster = await startTestCluster()
  const { client } = cluster
  const vm = await client.create(virtualMachines, { metadata: { name: 'web', namespace }, spec: vmOf().spec } as VirtualMachine)
  const start = Date.parse('2026-01-01T00:00:00Z')
  let now = start
  const ports = { client, clock: { now: () => now } }
  await use({
    vm,
    store: (format = own, holder = holderOf(vm)) => storeRevision(ports, holder, small, format),
    put: (revision) => client.create(controllerRevisions, revision),
    stored: (name) => client.get(controllerRevisions, { namespace, name }),
    count: async () => (await client.list(controllerRevisions, { namespace })).items.length,
    at: (ms) => void (now = start + ms),
  })
}

suite('storing an owned revision', () => {
  test('uses an alternative name beside a revision of an older version, and finds it again', () =>
    withVm(async ({ vm, store, put, stored, count }) => {
      const wanted = revisionOf(vm, small)
      const old = await put({ ...wanted, data: { ...wanted.data, apiVersion: 'instancetype.kubevirt.io/v1alpha2' } })
      const name = await store()
      assert.notEqual(name, old.metadata.name)
      assert.ok(name.startsWith(`${old.metadata.name}-`))
      assert.ok(hasFormat(await stored(name), 'instancetype', own))
      assert.equal(await store(), name)
      assert.equal(await count(), 2)
    }))

  test('stores separate revisions for a VM and a snapshot of the same name', () =>
    withVm(async ({ vm, store, stored, count }) => {
      const snapshot: Holder = { ...holderOf(vm), kind: 'VirtualMachineSnapshot', uid: 'of-the-snapshot' }
      const name = await store()
      const beside = await store(own, snapshot)
      assert.ok(beside.startsWith(`${name}-`))
      assert.deepEqual([await store(), await store(own, snapshot)], [name, beside])
      const owners = await Promise.all([name, beside].map(async (each) => (await stored(each)).metadata.ownerReferences?.[0]?.uid))
      assert.deepEqual(owners, [vm.metadata.uid, snapshot.uid])
      assert.equal(await count(), 2)
    }))

  test('repairs labels in place, including the sharing label', () =>
    withVm(async ({ vm, store, put, stored }) => {
      const wanted = revisionOf(vm, small)
      const labels = { [revisionLabels.version]: 'v1', [sharedLabel]: 'true', mine: 'x' }
      await put({ ...wanted, metadata: { ...wanted.metadata, labels } })
      const name = await store()
      const { metadata } = await stored(name)
      assert.equal(name, wanted.metadata.name)
      assert.deepEqual(metadata.labels, { ...wanted.metadata.labels, mine: 'x' })
      assert.deepEqual(metadata.ownerReferences, wanted.metadata.ownerReferences)
    }))
})

suite('storing a shared revision', () => {
  const claimOf = ({ metadata }: ControllerRevision): string | undefined => metadata.annotations?.[claimedAtAnnotation]

  test('creates it, and claims it again only after half of the grace period', () =>
    withVm(async ({ store, stored, at, count }) => {
      const name = await store(shared)
      const first = await stored(name)
      assert.equal(claimOf(first), '2026-01-01T00:00:00Z')
      at(claimGraceMs / 2 - 1)
      assert.equal(await store(shared), name)
      assert.equal((await stored(name)).metadata.resourceVersion, first.metadata.resourceVersion)
      at(claimGraceMs / 2)
      await store(shared)
      assert.equal(claimOf(await stored(name)), '2026-01-01T00:05:00Z')
      assert.equal(await count(), 1)
    }))

  test('ignores a claim in the future', () =>
    withVm(async ({ store, stored, at }) => {
      at(2 * claimGraceMs)
      const name = await store(shared)
      at(0)
      await store(shared)
      assert.equal(claimOf(await stored(name)), '2026-01-01T00:00:00Z')
    }))

  test('removes owners, with which it would be deleted, and restores its labels', () =>
    withVm(async ({ vm, store, put, stored }) => {
      const { metadata, ...rest } = revisionOf(vm, small, shared)
      const { ownerReferences = [] } = revisionOf(vm, small).metadata
      await put({ ...rest, metadata: { ...metadata, labels: {}, ownerReferences } })
      assert.equal(await store(shared), metadata.name)
      const mended = await stored(metadata.name ?? '')
      assert.deepEqual([mended.metadata.labels, mended.metadata.ownerReferences ?? []], [metadata.labels, []])
      assert.ok(claimOf(mended) !== undefined)
    }))

  test('rejects an existing revision of that name with other content', () =>
    withVm(async ({ vm, store, put }) => {
      const wanted = revisionOf(vm, small, shared)
      await put({ ...wanted, data: { ...wanted.data, spec: { cpu: { guest: 9 }, memory: { guest: '1Gi' } } } })
      await assert.rejects(store(shared), /unexpected data/)
    }))

  test('fails with a conflict while one of that name is being deleted', async () => {
    const going = { ...revisionOf(vmOf(), small, shared) }
    const deleting = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    const client = { get: async () => deleting as never, create: () => assert.fail(), patch: () => assert.fail() }
    const stored = storeRevision({ client, clock: { now: () => 0 } }, holderOf(vmOf()), small, shared)
    await assert.rejects(stored, isConflict)
  })

  test('sends no request when the cache has it and it is claimed', async () => {
    const revision = revisionOf(vmOf(), small, shared)
    const annotations = { [claimedAtAnnotation]: '2026-01-01T00:00:00Z' }
    const lookup = { cached: () => ({ ...revision, metadata: { ...revision.metadata, annotations } }) as never }
    const client = { get: () => assert.fail(), create: () => assert.fail(), patch: () => assert.fail() }
    const clock = { now: () => Date.parse('2026-01-01T00:01:00Z') }
    assert.equal(await storeRevision({ client, clock, lookup }, holderOf(vmOf()), small, shared), revision.metadata.name)
  })
})
