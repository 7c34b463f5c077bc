import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { refreshAnnotation, revisionHistory, type HistoryEntry } from '#features/instancetype/index.ts'
import { dyingClient } from '#features/crashing-client.fixture.ts'
import { historyLimitAnnotation } from './prune.ts'
import { named, startWorld, type World } from '../reconciler.fixture.ts'

const sharing = { ...defaultClusterConfig, featureGates: ['SharedRevisions'] }

async function startSharing(): Promise<World> {
  const world = await startWorld()
  world.config = sharing
  return world
}

/** Gives `small` so many CPUs, and lets the VM take that. */
async function refresh(world: World, guest: number, metadata: { annotations?: object } = {}): Promise<void> {
  await world.setInstancetype('small', { cpu: { guest }, memory: { guest: '1Gi' } })
  await world.patchVm({ metadata: { annotations: { ...metadata.annotations, [refreshAnnotation]: String(guest) } } })
  await world.reconcile()
}

async function historyIn(world: World): Promise<readonly HistoryEntry[]> {
  const { items } = await world.client.list(controllerRevisions, { namespace: world.namespace })
  return revisionHistory(await world.vm(), items).filter(({ family }) => family === 'instancetype')
}

const cpusOf = ({ spec }: HistoryEntry): unknown => (spec as { cpu: { guest: number } }).cpu.guest

suite('a VM that shares its revisions', () => {
  test('names them in its status, and nothing owns them', async () => {
    await using world = await startSharing()
    await world.createVm(named)
    await world.reconcile()
    const { status, spec } = await world.vm()
    const names = [status?.instancetypeRef, status?.preferenceRef].map((ref) => ref?.controllerRevisionRef?.name ?? '')
    assert.deepEqual(names.toSorted(), (await world.revisions()).toSorted())
    for (const name of names) {
      const { metadata } = await world.client.get(controllerRevisions, { namespace: 'default', name })
      assert.match(name, /^shared-/)
      assert.equal(metadata.ownerReferences, undefined)
    }
    assert.deepEqual(spec.instancetype, named.instancetype)
    assert.equal(status?.steadyvm?.instancetype?.history, undefined, 'where nothing was left behind, nothing is to be remembered')
  })

  test('can go back to what it had, and from there further back', async () => {
    await using world = await startSharing()
    await world.createVm(named)
    await world.reconcile()
    await refresh(world, 4)
    await refresh(world, 8)
    const before = await historyIn(world)
    assert.deepEqual(
      [before.map(cpusOf), before.map(({ inForce }) => inForce)],
      [
        [8, 4, 2],
        [true, false, false],
      ],
    )
    await world.patchVm({ spec: { instancetype: { revisionName: before[1]?.revision } } })
    await world.reconcile()
    const after = await historyIn(world)
    assert.deepEqual(
      [after.map(cpusOf), after.map(({ inForce }) => inForce)],
      [
        [8, 4, 2],
        [false, true, false],
      ],
    )
  })

  test('remembers as many as it may keep', async () => {
    await using world = await startSharing()
    await world.createVm(named)
    await world.reconcile()
    for (const guest of [4, 6, 8]) await refresh(world, guest, { annotations: { [historyLimitAnnotation]: '1' } })
    assert.deepEqual((await historyIn(world)).map(cpusOf), [8, 6])
  })

  test('keeps its history in order when sharing ends and begins again', async () => {
    await using world = await startWorld()
    await world.createVm(named)
    await world.reconcile()
    await refresh(world, 3)
    world.config = sharing
    await refresh(world, 4)
    await refresh(world, 5)
    world.config = defaultClusterConfig
    await refresh(world, 6)
    const history = await historyIn(world)
    assert.deepEqual(history.map(cpusOf), [6, 5, 4, 3, 2])
    const isShared = history.map(({ revision }) => revision.startsWith('shared-'))
    assert.deepEqual(isShared, [false, true, true, false, false])
  })

  test('is written as often as one that has its own: once for all that it pins', async () => {
    await using world = await startSharing()
    const writes: string[] = []
    await world.createVm(named)
    await world.reconcile((client) => ({
      ...client,
      create: (resource, object, options) => {
        writes.push(`create ${resource.kind}`)
        return client.create<never, never>(resource as never, object as never, options)
      },
      patch: (resource, key, patch, options) => {
        writes.push(`patch ${resource.kind}`)
        return client.patch(resource, key, patch, options)
      },
    }))
    assert.deepEqual(
      writes.filter((write) => write.includes('Revision')),
      ['create ControllerRevision', 'create ControllerRevision'],
    )
  })

  test('means what it says by a name that had been replaced, when it takes that again', async () => {
    await using world = await startSharing()
    await world.createVm(named)
    await world.reconcile()
    const [first = '', second = ''] = await world.revisions()
    const replaced = { [first]: 'gone', [second]: 'gone-too', other: 'kept' }
    const status = { status: { instancetypeRef: null, preferenceRef: null, steadyvm: { replaced } } }
    await world.client.patch(
      virtualMachines,
      { namespace: 'default', name: 'web' },
      { type: 'merge', body: status },
      { subresource: 'status' },
    )
    await world.reconcile()
    assert.deepEqual((await world.vm()).status?.steadyvm?.replaced, { other: 'kept' })
  })

  test('has back what was deleted by hand', async () => {
    await using world = await startSharing()
    await world.createVm(named)
    await world.reconcile()
    const names = await world.revisions()
    for (const name of names) await world.client.delete(controllerRevisions, { namespace: 'default', name })
    const before = await world.vm()
    await world.reconcile()
    assert.deepEqual(await world.revisions(), names)
    assert.equal((await world.vm()).metadata.resourceVersion, before.metadata.resourceVersion)
  })

  for (const moment of ['before', 'after'] as const) {
    test(`never names what is not there, killed ${moment} any write`, async () => {
      for (let write = 1; ; write++) {
        await using world = await startSharing()
        await world.createVm({ ...named, runStrategy: 'Always' })
        let isDead = false
        await world.reconcile((client) => dyingClient(client, { write, moment }, () => (isDead = true))).catch(() => undefined)
        const { status } = await world.vm()
        const refs = [status?.instancetypeRef, status?.preferenceRef].map((ref) => ref?.controllerRevisionRef?.name)
        const there = await world.revisions()
        for (const name of refs) assert.ok(name === undefined || there.includes(name), `${name} after write ${write}`)
        await world.reconcile()
        assert.equal((await world.revisions()).length, 2)
        if (!isDead) return assert.ok(write > 4)
      }
    })
  }
})
