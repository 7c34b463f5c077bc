import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { refreshAnnotation } from '#features/instancetype/index.ts'
import { pendingSocketsCondition, pluggableCondition } from '#features/vmi/index.ts'
import { templateChanged } from './classify.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

const restartOf = (vm: VirtualMachine): string | undefined => findCondition(vm.status?.conditions, 'RestartRequired')?.message
const memory = { guest: '1Gi', maxGuest: '4Gi' }

/** Starts a VM with a running guest of two sockets and 1Gi. */
async function startRunning(spec: Partial<VirtualMachineSpec> = {}): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.setInstancetype('small', { cpu: { guest: 2 }, memory })
  await fixture.setInstancetype('large', { cpu: { guest: 4 }, memory: { ...memory, guest: '2Gi', overcommitPercent: 50 } })
  await fixture.setInstancetype('dedicated', { cpu: { guest: 2, dedicatedCPUPlacement: true }, memory })
  await fixture.createVm({ ...named, runStrategy: 'Always', ...spec })
  await fixture.reconcile()
  await fixture.runGuest()
  await fixture.reconcile()
  return fixture
}

async function switchTo(fixture: VmFixture, name: string): Promise<VirtualMachine> {
  await fixture.patchVm({ spec: { instancetype: { name } } })
  await fixture.reconcile()
  return fixture.vm()
}

suite('a VM that changes while its guest runs', () => {
  test('has a start revision that names the captured revisions, and no others (16071)', async () => {
    await using fixture = await startRunning({ preference: undefined } as never)
    const vmi = await fixture.vmi()
    const started = await fixture.client.get(controllerRevisions, {
      namespace: fixture.namespace,
      name: vmi.status?.virtualMachineRevisionName ?? '',
    })
    const spec = started.data?.['spec'] as VirtualMachineSpec
    assert.equal(spec.instancetype?.revisionName, (await fixture.vm()).status?.instancetypeRef?.controllerRevisionRef?.name)
    assert.equal(spec.preference, undefined)
    assert.equal(restartOf(await fixture.vm()), undefined)
  })

  test('gets sockets and memory live, with the overcommit of its instance type', async () => {
    await using fixture = await startRunning()
    const { generation } = (await switchTo(fixture, 'large')).metadata
    const { spec, metadata } = await fixture.vmi()
    assert.equal(spec.domain.cpu?.sockets, 4)
    assert.equal(spec.domain.memory?.guest, '2Gi')
    assert.equal(spec.domain.resources?.requests?.['memory'], '1Gi')
    assert.equal(metadata.annotations?.['kubevirt.io/instancetype-name'], 'large')
    await fixture.reconcile()
    const vm = await fixture.vm()
    assert.equal(restartOf(vm), undefined)
    assert.equal(vm.status?.observedGeneration, generation)
    assert.equal((await fixture.vmi()).metadata.resourceVersion, metadata.resourceVersion, 'once is enough')
  })

  test('does not report sockets that the guest has not got, and accepts another number meanwhile', async () => {
    await using fixture = await startRunning()
    for (const guest of [4, 6]) await fixture.setInstancetype(`wide-${guest}`, { cpu: { guest, maxSockets: 8 }, memory })
    await fixture.setInstancetype('small', { cpu: { guest: 2, maxSockets: 8 }, memory })
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: 'now' } } })
    await fixture.reconcile()
    await fixture.endGuest()
    await fixture.reconcile()
    const conditions = [{ type: pluggableCondition, status: 'False' as const, reason: 'NoRoomForSockets', message: 'no room' }]
    const status = { conditions, currentCPUTopology: { sockets: 2, cores: 1, threads: 1 } }
    await fixture.runGuest(status)
    await fixture.reconcile()
    assert.equal((await fixture.vm()).status?.observedGeneration, (await fixture.vm()).metadata.generation)
    for (const sockets of [4, 6]) {
      await switchTo(fixture, `wide-${sockets}`)
      const vmi = await fixture.vmi()
      assert.equal(vmi.spec.domain.cpu?.sockets, sockets)
      const missing = pendingSocketsCondition(vmi, { plugged: 2, idleVcpus: 0 }, 'no room')
      assert.match(missing?.message ?? '', /^the guest has 2 sockets until it starts again/)
      if (missing !== undefined) await fixture.runGuest({ ...status, conditions: [...conditions, missing] })
      await fixture.reconcile()
      const vm = await fixture.vm()
      assert.notEqual(vm.status?.observedGeneration, vm.metadata.generation)
      assert.equal(findCondition(vm.status?.conditions, 'HotVCPUChange')?.message, missing?.message)
      for (const type of ['Failure', 'RestartRequired']) assert.equal(findCondition(vm.status?.conditions, type), undefined)
    }
    await fixture.endGuest()
    await fixture.reconcile()
    assert.equal(findCondition((await fixture.vm()).status?.conditions, 'HotVCPUChange'), undefined)
  })

  test('requires a restart to remove sockets', async () => {
    await using fixture = await startRunning()
    await switchTo(fixture, 'large')
    assert.equal(restartOf(await switchTo(fixture, 'small')), 'Reduction of CPU socket count requires a restart')
    assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 4)
  })

  test('requires a restart for fields that cannot be live-updated, which clears the condition', async () => {
    await using fixture = await startRunning()
    const changed = await switchTo(fixture, 'dedicated')
    assert.equal(restartOf(changed), templateChanged)
    assert.notEqual(changed.status?.observedGeneration, changed.metadata.generation)
    await fixture.endGuest()
    await fixture.reconcile()
    const vm = await fixture.vm()
    assert.equal(restartOf(vm), undefined)
    assert.equal((await fixture.vmi()).spec.domain.cpu?.dedicatedCpuPlacement, true)
  })

  test('requires no restart when its instance type or preference is edited', async () => {
    await using fixture = await startRunning()
    await fixture.setInstancetype('small', { cpu: { guest: 1, dedicatedCPUPlacement: true }, memory })
    await fixture.setPreference('linux', { devices: { preferredRng: {} } })
    await fixture.reconcile()
    assert.equal(restartOf(await fixture.vm()), undefined)
    assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 2)
  })

  test('waits for the next start under the Stage rollout strategy', async () => {
    await using fixture = await startRunning()
    fixture.config = { ...fixture.config, rolloutStrategy: 'Stage' }
    assert.equal(restartOf(await switchTo(fixture, 'large')), templateChanged)
    assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 2)
  })

  test('is updated after the hotplug or migration in progress, and reports so', async () => {
    const migrating = { startTimestamp: '2026-01-01T00:00:00Z' }
    const busy = [{ type: 'HotVCPUChange', status: 'True' as const }]
    for (const status of [{ migrationState: migrating }, { conditions: [...busy, { type: 'LiveMigratable', status: 'True' as const }] }]) {
      await using fixture = await startRunning()
      await fixture.runGuest(status)
      const waiting = await switchTo(fixture, 'large')
      assert.equal(findCondition(waiting.status?.conditions, 'Failure')?.reason, 'HotPlugCPUError')
      assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 2)
      assert.notEqual(waiting.status?.observedGeneration, waiting.metadata.generation)
      await fixture.runGuest({ migrationState: { ...migrating, endTimestamp: '2026-01-01T00:00:01Z' } })
      await fixture.reconcile()
      assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 4)
      assert.equal(findCondition((await fixture.vm()).status?.conditions, 'Failure'), undefined)
    }
  })

  test('requests one more CPU for each plugged vCPU, when it requests any', async () => {
    const cpu = { cpu: '500m' }
    const template = {
      spec: { domain: { devices: {}, resources: { requests: cpu, limits: { cpu: '2' } }, cpu: { sockets: 1 }, memory: { guest: '1Gi' } } },
    }
    await using fixture = await startRunning({ instancetype: undefined, template } as never)
    await fixture.patchVm({ spec: { template: { spec: { domain: { cpu: { sockets: 3 } } } } } })
    await fixture.reconcile()
    const { resources } = (await fixture.vmi()).spec.domain
    assert.deepEqual([resources?.requests?.['cpu'], resources?.limits?.['cpu']], ['2500m', '4'])
  })

  test('follows placement: added, changed and removed', async () => {
    await using fixture = await startRunning()
    for (const nodeSelector of [{ disk: 'ssd' }, { disk: 'hdd' }, null]) {
      const tolerations = nodeSelector === null ? null : [{ key: 'a/b', operator: 'Exists' }]
      const affinity = nodeSelector === null ? null : { nodeAffinity: {} }
      await fixture.patchVm({ spec: { template: { spec: { nodeSelector, tolerations, affinity } } } })
      await fixture.reconcile()
      const { spec } = await fixture.vmi()
      assert.deepEqual([spec.nodeSelector, spec.tolerations], nodeSelector === null ? [undefined, undefined] : [nodeSelector, tolerations])
      assert.equal(restartOf(await fixture.vm()), undefined)
    }
  })

  test('is left alone when its start revision is gone', async () => {
    await using fixture = await startRunning()
    const { status } = await fixture.vmi()
    await switchTo(fixture, 'dedicated')
    await fixture.client.delete(controllerRevisions, { namespace: fixture.namespace, name: status?.virtualMachineRevisionName ?? '' })
    await fixture.reconcile()
    assert.equal(restartOf(await fixture.vm()), templateChanged, 'what was known stays')
    assert.equal((await fixture.client.list(virtualMachineInstances, { namespace: fixture.namespace })).items.length, 1)
  })
})
