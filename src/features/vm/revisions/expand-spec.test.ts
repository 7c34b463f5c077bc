import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { dyingClient } from '#features/crashing-client.fixture.ts'
import { named, startWorld, type World } from '../reconciler.fixture.ts'

type Policy = World['config']['referencePolicy']

function under(world: World, referencePolicy: Policy): void {
  world.config = { ...world.config, referencePolicy }
}

async function settled(world: World): Promise<VirtualMachine> {
  for (let pass = 0; pass < 3; pass += 1) await world.reconcile()
  return world.vm()
}

const template = { spec: { domain: { devices: {} }, volumes: [{ name: 'root', containerDisk: { image: 'x' } }] } }

async function startNamed(policy: Policy): Promise<World> {
  const world = await startWorld()
  await world.setPreference('linux', { devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'e1000e' } })
  under(world, policy)
  await world.createVm({ ...named, template, runStrategy: 'Always' } as never)
  return world
}

function isWrittenOut({ spec, status }: VirtualMachine): boolean {
  return spec.instancetype === undefined && spec.preference === undefined && status?.instancetypeRef === undefined
}

suite('the policy of references', () => {
  test('keeps VMs as they are under reference', async () => {
    await using world = await startNamed('reference')
    const { spec } = await world.vm()
    assert.deepEqual((await settled(world)).spec, spec)
  })

  for (const policy of ['expand', 'expandAll'] as const) {
    test(`writes a new VM out under ${policy}, and starts it with the same hardware`, async () => {
      await using world = await startNamed(policy)
      const vm = await settled(world)
      assert.ok(isWrittenOut(vm))
      const { domain } = vm.spec.template.spec
      assert.deepEqual([domain.cpu?.sockets, domain.memory?.guest], [2, '1Gi'])
      assert.equal(domain.devices.disks?.[0]?.disk?.bus, 'virtio')
      assert.equal(domain.devices.interfaces?.[0]?.model, 'e1000e')
      assert.equal(domain.firmware?.uuid, undefined, 'a copy of the VM is no clone of its guest')
      assert.equal(vm.spec.template.metadata?.annotations, undefined)
      assert.deepEqual(await world.revisions(), [])
      assert.equal((await world.vmi()).spec.domain.cpu?.sockets, 2)
    })
  }

  test('leaves a VM that has its revisions under expand, and writes it out under expandAll', async () => {
    await using world = await startNamed('reference')
    await settled(world)
    under(world, 'expand')
    assert.ok(!isWrittenOut(await settled(world)))
    await world.setInstancetype('small', { cpu: { guest: 9 }, memory: { guest: '1Gi' } })
    under(world, 'expandAll')
    const vm = await settled(world)
    assert.ok(isWrittenOut(vm))
    assert.equal(vm.spec.template.spec.domain.cpu?.sockets, 2, 'as it was captured')
  })

  test('keeps the revisions that the guest was started from until it starts again', async () => {
    await using world = await startNamed('reference')
    await settled(world)
    await world.runGuest()
    under(world, 'expandAll')
    const vm = await settled(world)
    assert.ok(isWrittenOut(vm))
    assert.equal((await world.revisions()).length, 2)
    assert.equal(
      findCondition(vm.status?.conditions, 'RestartRequired'),
      undefined,
      'writing down what the guest has changes nothing for it',
    )
    await world.endGuest()
    await settled(world)
    assert.deepEqual(await world.revisions(), [])
  })

  test('says why a VM cannot be written out, and leaves it', async () => {
    await using world = await startWorld()
    under(world, 'expand')
    const { spec } = await world.createVm({ ...named, template: { spec: { domain: { devices: {}, cpu: { cores: 2 } } } } })
    const vm = await settled(world)
    const failure = findCondition(vm.status?.conditions, 'Failure')
    assert.equal(failure?.reason, 'UnsupportedSyncError')
    assert.ok(failure.message?.startsWith('unsupported error: error encountered while expanding into VirtualMachine: '))
    assert.deepEqual(vm.spec, spec)
  })

  for (const moment of ['before', 'after'] as const) {
    test(`ends the same when the controller is killed ${moment} any write`, async () => {
      for (let write = 1; write < 12; write += 1) {
        await using world = await startNamed('reference')
        await settled(world)
        await world.runGuest()
        under(world, 'expandAll')
        let isDead = false
        await world.reconcile((client) => dyingClient(client, { write, moment }, () => (isDead = true))).catch(() => {})
        assert.ok(isWrittenOut(await settled(world)), `killed ${moment} write ${write}`)
        const left = await world.client.list(controllerRevisions, { namespace: world.namespace })
        assert.equal(left.items.length, 3, 'start revision, and the two that it names')
        await world.endGuest()
        await settled(world)
        assert.deepEqual(await world.revisions(), [])
        if (!isDead) return assert.ok(write >= 3, `only ${write} writes`)
      }
      assert.fail('the controller never stops writing')
    })
  }
})
