import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { startRevisionPrefix } from '#features/instancetype/index.ts'
import { dropIdleStarts } from './start-revision.ts'
import { named, startWorld, type World } from '../reconciler.fixture.ts'

async function starts({ client, namespace }: World): Promise<number> {
  const { items } = await client.list(controllerRevisions, { namespace })
  return items.filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefix) === true).length
}

/** A VM whose guest runs, and that is to be halted. */
async function startHalting(): Promise<World> {
  const world = await startWorld()
  await world.createVm({ ...named, runStrategy: 'Always' })
  await world.reconcile()
  await world.runGuest()
  await world.patchVm({ spec: { runStrategy: 'Halted' } })
  return world
}

suite('what a guest was started from', () => {
  test('is kept until the guest is gone, and no longer: it would keep the revisions that it names', async () => {
    await using world = await startHalting()
    await world.reconcile()
    assert.equal(await starts(world), 1, 'the guest is stopping')
    await world.endGuest()
    await world.reconcile()
    assert.equal(await starts(world), 0)
    await world.patchVm({ spec: { runStrategy: 'Always' } })
    await world.reconcile()
    assert.equal(await starts(world), 1, 'it is started again')
  })

  test('is kept for a guest that the cache has not seen yet', async () => {
    await using world = await startHalting()
    const { client, namespace } = world
    const { items } = await client.list(controllerRevisions, { namespace })
    const revisions = { get: () => undefined, list: () => items, byIndex: () => items }
    await dropIdleStarts({ client, revisions }, await world.vm())
    assert.equal(await starts(world), 1)
    await world.endGuest()
    await dropIdleStarts({ client, revisions }, await world.vm())
    assert.equal(await starts(world), 0)
  })
})
