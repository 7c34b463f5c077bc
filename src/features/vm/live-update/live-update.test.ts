import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { refreshAnnotation } from '#features/instancetype/index.ts'
import { missingSockets, pluggableCondition } from '#features/vmi/index.ts'
import { templateChanged } from './classify.ts'
import { named, startWorld, type World } from '../reconciler.fixture.ts'

const restartOf = (vm: VirtualMachine): string | undefined => findCondition(vm.status?.conditions, 'RestartRequired')?.message
const memory = { guest: '1Gi', maxGuest: '4Gi' }

/** A VM with a running guest of two sockets and 1Gi. */
async function startRunning(spec: Partial<VirtualMachineSpec> = {}): Promise<World> {
  const world = await startWorld()
  await world.setInstancetype('small', { cpu: { guest: 2 }, memory })
  await world.setInstancetype('large', { cpu: { guest: 4 }, memory: { ...memory, guest: '2Gi', overcommitPercent: 50 } })
  await world.setInstancetype('dedicated', { cpu: { guest: 2, dedicatedCPUPlacement: true }, memory })
  await world.createVm({ ...named, runStrategy: 'Always', ...spec })
  await world.reconcile()
  await world.runGuest()
  await world.reconcile()
  return world
}

async function switchTo(world: World, name: string): Promise<VirtualMachine> {
  await world.patchVm({ spec: { instancetype: { name } } })
  await world.reconcile()
  return world.vm()
}

suite('a running guest whose VM changes', () => {
  test('is started from revisions that the start revision names, and from none that the VM does not name (16071)', async () => {
    await using world = await startRunning({ preference: undefined } as never)
    const vmi = await world.vmi()
    const started = await world.client.get(controllerRevisions, {
      namespace: world.namespace,
      name: vmi.status?.virtualMachineRevisionName ?? '',
    })
    const spec = started.data?.['spec'] as VirtualMachineSpec
    assert.equal(spec.instancetype?.revisionName, (await world.vm()).status?.instancetypeRef?.controllerRevisionRef?.name)
    assert.equal(spec.preference, undefined)
    assert.equal(restartOf(await world.vm()), undefined)
  })

  test('gets sockets and memory while it runs, with the overcommit that the type asks for', async () => {
    await using world = await startRunning()
    const { generation } = (await switchTo(world, 'large')).metadata
    const { spec, metadata } = await world.vmi()
    assert.equal(spec.domain.cpu?.sockets, 4)
    assert.equal(spec.domain.memory?.guest, '2Gi')
    assert.equal(spec.domain.resources?.requests?.['memory'], '1Gi')
    assert.equal(metadata.annotations?.['kubevirt.io/instancetype-name'], 'large')
    await world.reconcile()
    const vm = await world.vm()
    assert.equal(restartOf(vm), undefined)
    assert.equal(vm.status?.observedGeneration, generation)
    assert.equal((await world.vmi()).metadata.resourceVersion, metadata.resourceVersion, 'once is enough')
  })

  test('is not said to have sockets that it has not got, and may be given others meanwhile', async () => {
    await using world = await startRunning()
    for (const guest of [4, 6]) await world.setInstancetype(`wide-${guest}`, { cpu: { guest, maxSockets: 8 }, memory })
    await world.setInstancetype('small', { cpu: { guest: 2, maxSockets: 8 }, memory })
    await world.patchVm({ metadata: { annotations: { [refreshAnnotation]: 'now' } } })
    await world.reconcile()
    await world.endGuest()
    await world.reconcile()
    const conditions = [{ type: pluggableCondition, status: 'False' as const, reason: 'NoRoomForSockets', message: 'no room' }]
    const status = { conditions, currentCPUTopology: { sockets: 2, cores: 1, threads: 1 } }
    await world.runGuest(status)
    await world.reconcile()
    assert.equal((await world.vm()).status?.observedGeneration, (await world.vm()).metadata.generation)
    for (const sockets of [4, 6]) {
      await switchTo(world, `wide-${sockets}`)
      const vmi = await world.vmi()
      assert.equal(vmi.spec.domain.cpu?.sockets, sockets)
      const missing = missingSockets(vmi, 2, 'no room')
      assert.match(missing?.message ?? '', /^the guest has 2 sockets until it starts again/)
      if (missing !== undefined) await world.runGuest({ ...status, conditions: [...conditions, missing] })
      await world.reconcile()
      const vm = await world.vm()
      assert.notEqual(vm.status?.observedGeneration, vm.metadata.generation)
      assert.equal(findCondition(vm.status?.conditions, 'HotVCPUChange')?.message, missing?.message)
      for (const type of ['Failure', 'RestartRequired']) assert.equal(findCondition(vm.status?.conditions, type), undefined)
    }
    await world.endGuest()
    await world.reconcile()
    assert.equal(findCondition((await world.vm()).status?.conditions, 'HotVCPUChange'), undefined)
  })

  test('must start again to give sockets back', async () => {
    await using world = await startRunning()
    await switchTo(world, 'large')
    assert.equal(restartOf(await switchTo(world, 'small')), 'Reduction of CPU socket count requires a restart')
    assert.equal((await world.vmi()).spec.domain.cpu?.sockets, 4)
  })

  test('must start again for what no guest can change, and then all is well', async () => {
    await using world = await startRunning()
    const changed = await switchTo(world, 'dedicated')
    assert.equal(restartOf(changed), templateChanged)
    assert.notEqual(changed.status?.observedGeneration, changed.metadata.generation)
    await world.endGuest()
    await world.reconcile()
    const vm = await world.vm()
    assert.equal(restartOf(vm), undefined)
    assert.equal((await world.vmi()).spec.domain.cpu?.dedicatedCpuPlacement, true)
  })

  test('is not told to start again when the type or preference it names is edited', async () => {
    await using world = await startRunning()
    await world.setInstancetype('small', { cpu: { guest: 1, dedicatedCPUPlacement: true }, memory })
    await world.setPreference('linux', { devices: { preferredRng: {} } })
    await world.reconcile()
    assert.equal(restartOf(await world.vm()), undefined)
    assert.equal((await world.vmi()).spec.domain.cpu?.sockets, 2)
  })

  test('waits for its start where changes are staged', async () => {
    await using world = await startRunning()
    world.config = { ...world.config, rolloutStrategy: 'Stage' }
    assert.equal(restartOf(await switchTo(world, 'large')), templateChanged)
    assert.equal((await world.vmi()).spec.domain.cpu?.sockets, 2)
  })

  test('is changed after what is under way, and the VM says so', async () => {
    const migrating = { startTimestamp: '2026-01-01T00:00:00Z' }
    const busy = [{ type: 'HotVCPUChange', status: 'True' as const }]
    for (const status of [{ migrationState: migrating }, { conditions: [...busy, { type: 'LiveMigratable', status: 'True' as const }] }]) {
      await using world = await startRunning()
      await world.runGuest(status)
      const waiting = await switchTo(world, 'large')
      assert.equal(findCondition(waiting.status?.conditions, 'Failure')?.reason, 'HotPlugCPUError')
      assert.equal((await world.vmi()).spec.domain.cpu?.sockets, 2)
      assert.notEqual(waiting.status?.observedGeneration, waiting.metadata.generation)
      await world.runGuest({ migrationState: { ...migrating, endTimestamp: '2026-01-01T00:00:01Z' } })
      await world.reconcile()
      assert.equal((await world.vmi()).spec.domain.cpu?.sockets, 4)
      assert.equal(findCondition((await world.vm()).status?.conditions, 'Failure'), undefined)
    }
  })

  test('asks for one CPU more for each that is plugged, when it asks for any', async () => {
    const cpu = { cpu: '500m' }
    const template = {
      spec: { domain: { devices: {}, resources: { requests: cpu, limits: { cpu: '2' } }, cpu: { sockets: 1 }, memory: { guest: '1Gi' } } },
    }
    await using world = await startRunning({ instancetype: undefined, template } as never)
    await world.patchVm({ spec: { template: { spec: { domain: { cpu: { sockets: 3 } } } } } })
    await world.reconcile()
    const { resources } = (await world.vmi()).spec.domain
    assert.deepEqual([resources?.requests?.['cpu'], resources?.limits?.['cpu']], ['2500m', '4'])
  })

  test('follows placement: added, changed and removed', async () => {
    await using world = await startRunning()
    for (const nodeSelector of [{ disk: 'ssd' }, { disk: 'hdd' }, null]) {
      const tolerations = nodeSelector === null ? null : [{ key: 'a/b', operator: 'Exists' }]
      const affinity = nodeSelector === null ? null : { nodeAffinity: {} }
      await world.patchVm({ spec: { template: { spec: { nodeSelector, tolerations, affinity } } } })
      await world.reconcile()
      const { spec } = await world.vmi()
      assert.deepEqual([spec.nodeSelector, spec.tolerations], nodeSelector === null ? [undefined, undefined] : [nodeSelector, tolerations])
      assert.equal(restartOf(await world.vm()), undefined)
    }
  })

  test('is left alone when it is not known what it was started from', async () => {
    await using world = await startRunning()
    const { status } = await world.vmi()
    await switchTo(world, 'dedicated')
    await world.client.delete(controllerRevisions, { namespace: world.namespace, name: status?.virtualMachineRevisionName ?? '' })
    await world.reconcile()
    assert.equal(restartOf(await world.vm()), templateChanged, 'what was known stays')
    assert.equal((await world.client.list(virtualMachineInstances, { namespace: world.namespace })).items.length, 1)
  })
})
