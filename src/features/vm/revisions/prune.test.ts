import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { formOf, holderOf, refreshAnnotation, startRevisionPrefix, storeRevision } from '#features/instancetype/index.ts'
import { systemClock } from '#runtime/clock.ts'
import { historyLimitAnnotation, prune } from './prune.ts'
import { named, startWorld, type World } from '../reconciler.fixture.ts'

/** A VM that has been refreshed so many times. */
async function startRefreshed(times: number, annotations: Record<string, string> = {}): Promise<World> {
  const world = await startWorld()
  await world.createVm(named)
  for (let guest = 1; guest <= times; guest += 1) await refresh(world, guest, annotations)
  return world
}

async function refresh(world: World, guest: number, annotations: Record<string, string> = {}): Promise<void> {
  await world.reconcile()
  await world.setInstancetype('small', { cpu: { guest: guest + 10 }, memory: { guest: '1Gi' } })
  await world.patchVm({ metadata: { annotations: { ...annotations, [refreshAnnotation]: String(guest) } } })
  await world.reconcile()
}

async function generations(world: World): Promise<number[]> {
  const names = (await world.revisions()).filter((name) => name.startsWith('web-small-'))
  return names.map((name) => Number(/-(\d+)$/.exec(name)?.[1])).toSorted((a, b) => a - b)
}

suite('pruning', () => {
  test('keeps the last ten that nothing refers to', async () => {
    await using world = await startRefreshed(13)
    assert.deepEqual(await generations(world), [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  })

  test('keeps as many as the VM says, and ten when it says nonsense', async () => {
    for (const [limit, kept] of [
      ['0', [5]],
      ['2', [3, 4, 5]],
      ['many', [1, 2, 3, 4, 5]],
    ] as const) {
      await using world = await startRefreshed(4, { [historyLimitAnnotation]: limit })
      assert.deepEqual(await generations(world), kept)
    }
  })

  test('keeps what the VM’s owner goes back to at that moment', async () => {
    await using world = await startRefreshed(1)
    const [first = ''] = (await world.revisions()).filter((name) => /^web-small-.*-1$/.test(name))
    await world.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    await world.reconcile((client) => ({
      ...client,
      get: async (resource, key) => {
        if (resource.kind === 'VirtualMachine') await world.patchVm({ spec: { instancetype: { revisionName: first } } })
        return client.get(resource, key)
      },
    }))
    assert.ok((await world.revisions()).includes(first))
  })

  test('keeps what somebody else has made for the VM and is about to name', async () => {
    await using world = await startRefreshed(0, {})
    await world.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    const vm = await world.vm()
    const { client } = world
    const holder = holderOf(vm)
    for (const [name, isClaimed] of [
      ['claimed', true],
      ['unclaimed', false],
    ] as const) {
      const metadata = { name, uid: name, generation: 1 }
      const object = { kind: 'VirtualMachineInstancetype', metadata, spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } } } as const
      await storeRevision({ client, clock: systemClock }, holder, object, formOf(defaultClusterConfig), { isClaimed })
    }
    await world.reconcile()
    const left = (await world.revisions()).filter((name) => name.includes('claimed'))
    assert.deepEqual(left, ['web-claimed-v1beta1-claimed-1'])
  })

  test('keeps all while the cache has not seen what the guest was started from', async () => {
    await using world = await startRefreshed(0)
    await world.patchVm({ spec: { runStrategy: 'Always' } })
    await world.reconcile()
    await world.runGuest()
    await refresh(world, 1)
    await world.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    const { client, namespace } = world
    const { items } = await client.list(controllerRevisions, { namespace })
    const seen = items.filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefix) !== true)
    const revisions = { get: () => undefined, list: () => seen, byIndex: () => seen }
    const vms = { get: () => undefined, list: () => [], byIndex: () => [] }
    await prune({ client, revisions, vms, clock: systemClock, config: () => defaultClusterConfig }, await world.vm())
    assert.deepEqual(await generations(world), [1, 2])
  })

  test('keeps what the guest was started from, what the VM names, and what another VM names', async () => {
    await using world = await startRefreshed(0)
    await world.patchVm({ spec: { runStrategy: 'Always' } })
    await world.reconcile()
    await world.runGuest()
    await refresh(world, 1)
    const [second] = (await world.revisions()).filter((name) => name.endsWith('-2'))
    const { spec } = await world.vm()
    const metadata = { name: 'other', namespace: world.namespace }
    await world.client.create(virtualMachines, {
      metadata,
      spec: { ...spec, instancetype: { name: 'small', revisionName: second } },
    } as never)
    await world.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    await refresh(world, 2)
    await refresh(world, 3)
    assert.deepEqual(await generations(world), [1, 2, 4])
    await world.client.delete(virtualMachines, metadata)
    await world.endGuest()
    await world.reconcile()
    await world.reconcile()
    assert.deepEqual(await generations(world), [4])
  })
})
