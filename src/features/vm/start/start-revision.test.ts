import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { startRevisionPrefix } from '#features/instancetype/index.ts'
import { deleteIdleStartRevisions } from './start-revision.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

async function starts({ client, namespace }: VmFixture): Promise<number> {
  const { items } = await client.list(controllerRevisions, { namespace })
  return items.filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefix) === true).length
}

/** Starts a VM with a running guest and sets it to Halted. */
async function startHalting(): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.createVm({ ...named, runStrategy: 'Always' })
  await fixture.reconcile()
  await fixture.runGuest()
  await fixture.patchVm({ spec: { runStrategy: 'Halted' } })
  return fixture
}

suite('a start revision', () => {
  test('is deleted with the guest, so that it does not keep captured revisions in use', async () => {
    await using fixture = await startHalting()
    await fixture.reconcile()
    assert.equal(await starts(fixture), 1, 'the guest is stopping')
    await fixture.endGuest()
    await fixture.reconcile()
    assert.equal(await starts(fixture), 0)
    await fixture.patchVm({ spec: { runStrategy: 'Always' } })
    await fixture.reconcile()
    assert.equal(await starts(fixture), 1, 'it is started again')
  })

  test('is kept for a guest that is not in the cache yet', async () => {
    await using fixture = await startHalting()
    const { client, namespace } = fixture
    const { items } = await client.list(controllerRevisions, { namespace })
    const revisions = { get: () => undefined, list: () => items, byIndex: () => items }
    await deleteIdleStartRevisions({ client, revisions }, await fixture.vm())
    assert.equal(await starts(fixture), 1)
    await fixture.endGuest()
    await deleteIdleStartRevisions({ client, revisions }, await fixture.vm())
    assert.equal(await starts(fixture), 0)
  })
})
