import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { revisionFormatOf, holderOf, refreshAnnotation, startRevisionPrefix, storeRevision } from '#features/instancetype/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { historyLimitAnnotation, prune } from './prune.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

/** Starts a VM and refreshes it `times` times. */
async function startRefreshed(times: number, annotations: Record<string, string> = {}): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.createVm(named)
  for (let guest = 1; guest <= times; guest += 1) await refresh(fixture, guest, annotations)
  return fixture
}

async function refresh(fixture: VmFixture, guest: number, annotations: Record<string, string> = {}): Promise<void> {
  await fixture.reconcile()
  await fixture.setInstancetype('small', { cpu: { guest: guest + 10 }, memory: { guest: '1Gi' } })
  await fixture.patchVm({ metadata: { annotations: { ...annotations, [refreshAnnotation]: String(guest) } } })
  await fixture.reconcile()
}

async function generations(fixture: VmFixture): Promise<number[]> {
  const names = (await fixture.revisions()).filter((name) => name.startsWith('web-small-'))
  return names.map((name) => Number(/-(\d+)$/.exec(name)?.[1])).toSorted((a, b) => a - b)
}

suite('pruning', () => {
  test('keeps the ten newest unreferenced revisions', async () => {
    await using fixture = await startRefreshed(13)
    assert.deepEqual(await generations(fixture), [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  })

  test('obeys the history limit annotation, and keeps ten when it is invalid', async () => {
    for (const [limit, kept] of [
      ['0', [5]],
      ['2', [3, 4, 5]],
      ['many', [1, 2, 3, 4, 5]],
    ] as const) {
      await using fixture = await startRefreshed(4, { [historyLimitAnnotation]: limit })
      assert.deepEqual(await generations(fixture), kept)
    }
  })

  test('keeps a revision that the VM is rolled back to at that moment', async () => {
    await using fixture = await startRefreshed(1)
    const [first = ''] = (await fixture.revisions()).filter((name) => /^web-small-.*-1$/.test(name))
    await fixture.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    await fixture.reconcile((client) => ({
      ...client,
      get: async (resource, key) => {
        if (resource.kind === 'VirtualMachine') await fixture.patchVm({ spec: { instancetype: { revisionName: first } } })
        return client.get(resource, key)
      },
    }))
    assert.ok((await fixture.revisions()).includes(first))
  })

  test('keeps a revision that another component has created for the VM and is about to reference', async () => {
    await using fixture = await startRefreshed(0, {})
    await fixture.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    const vm = await fixture.vm()
    const { client } = fixture
    const holder = holderOf(vm)
    for (const [name, isClaimed] of [
      ['claimed', true],
      ['unclaimed', false],
    ] as const) {
      const metadata = { name, uid: name, generation: 1 }
      const object = { kind: 'VirtualMachineInstancetype', metadata, spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } } } as const
      await storeRevision({ client, clock: systemClock }, holder, object, revisionFormatOf(defaultClusterConfig), { isClaimed })
    }
    await fixture.reconcile()
    const left = (await fixture.revisions()).filter((name) => name.includes('claimed'))
    assert.deepEqual(left, ['web-claimed-v1beta1-claimed-1'])
  })

  test('keeps everything while the start revision is not in the cache', async () => {
    await using fixture = await startRefreshed(0)
    await fixture.patchVm({ spec: { runStrategy: 'Always' } })
    await fixture.reconcile()
    await fixture.runGuest()
    await refresh(fixture, 1)
    await fixture.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    const { client, namespace } = fixture
    const { items } = await client.list(controllerRevisions, { namespace })
    const cached = items.filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefix) !== true)
    const revisions = { get: () => undefined, list: () => cached, byIndex: () => cached }
    const vms = { get: () => undefined, list: () => [], byIndex: () => [] }
    await prune({ client, revisions, vms, clock: systemClock, config: () => defaultClusterConfig }, await fixture.vm())
    assert.deepEqual(await generations(fixture), [1, 2])
  })

  test('keeps revisions of the start revision, of the VM, and of other VMs', async () => {
    await using fixture = await startRefreshed(0)
    await fixture.patchVm({ spec: { runStrategy: 'Always' } })
    await fixture.reconcile()
    await fixture.runGuest()
    await refresh(fixture, 1)
    const [second] = (await fixture.revisions()).filter((name) => name.endsWith('-2'))
    const { spec } = await fixture.vm()
    const metadata = { name: 'other', namespace: fixture.namespace }
    await fixture.client.create(virtualMachines, {
      metadata,
      spec: { ...spec, instancetype: { name: 'small', revisionName: second } },
    } as never)
    await fixture.patchVm({ metadata: { annotations: { [historyLimitAnnotation]: '0' } } })
    await refresh(fixture, 2)
    await refresh(fixture, 3)
    assert.deepEqual(await generations(fixture), [1, 2, 4])
    await fixture.client.delete(virtualMachines, metadata)
    await fixture.endGuest()
    await fixture.reconcile()
    await fixture.reconcile()
    assert.deepEqual(await generations(fixture), [4])
  })
})
