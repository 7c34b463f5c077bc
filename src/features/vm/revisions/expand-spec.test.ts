import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

type Policy = VmFixture['config']['referencePolicy']

function under(fixture: VmFixture, referencePolicy: Policy): void {
  fixture.config = { ...fixture.config, referencePolicy }
}

async function settled(fixture: VmFixture): Promise<VirtualMachine> {
  for (let pass = 0; pass < 3; pass += 1) await fixture.reconcile()
  return fixture.vm()
}

const template = { spec: { domain: { devices: {} }, volumes: [{ name: 'root', containerDisk: { image: 'x' } }] } }

async function startNamed(policy: Policy): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.setPreference('linux', { devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'e1000e' } })
  under(fixture, policy)
  await fixture.createVm({ ...named, template, runStrategy: 'Always' } as never)
  return fixture
}

function isWrittenOut({ spec, status }: VirtualMachine): boolean {
  return spec.instancetype === undefined && spec.preference === undefined && status?.instancetypeRef === undefined
}

suite('the reference policy', () => {
  test('keeps specs under reference', async () => {
    await using fixture = await startNamed('reference')
    const { spec } = await fixture.vm()
    assert.deepEqual((await settled(fixture)).spec, spec)
  })

  for (const policy of ['expand', 'expandAll'] as const) {
    test(`expands the spec of a new VM under ${policy}, and starts it with the same hardware`, async () => {
      await using fixture = await startNamed(policy)
      const vm = await settled(fixture)
      assert.ok(isWrittenOut(vm))
      const { domain } = vm.spec.template.spec
      assert.deepEqual([domain.cpu?.sockets, domain.memory?.guest], [2, '1Gi'])
      assert.equal(domain.devices.disks?.[0]?.disk?.bus, 'virtio')
      assert.equal(domain.devices.interfaces?.[0]?.model, 'e1000e')
      assert.equal(domain.firmware?.uuid, undefined, 'a copy of the VM is no clone of its guest')
      assert.equal(vm.spec.template.metadata?.annotations, undefined)
      assert.deepEqual(await fixture.revisions(), [])
      assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 2)
    })
  }

  test('keeps a VM with captured revisions under expand, and expands it under expandAll', async () => {
    await using fixture = await startNamed('reference')
    await settled(fixture)
    under(fixture, 'expand')
    assert.ok(!isWrittenOut(await settled(fixture)))
    await fixture.setInstancetype('small', { cpu: { guest: 9 }, memory: { guest: '1Gi' } })
    under(fixture, 'expandAll')
    const vm = await settled(fixture)
    assert.ok(isWrittenOut(vm))
    assert.equal(vm.spec.template.spec.domain.cpu?.sockets, 2, 'as it was captured')
  })

  test('keeps the revisions that the guest was started from until its next start', async () => {
    await using fixture = await startNamed('reference')
    await settled(fixture)
    await fixture.runGuest()
    under(fixture, 'expandAll')
    const vm = await settled(fixture)
    assert.ok(isWrittenOut(vm))
    assert.equal((await fixture.revisions()).length, 2)
    assert.equal(findCondition(vm.status?.conditions, 'RestartRequired'), undefined, "expanding the guest's own values requires no restart")
    await fixture.endGuest()
    await settled(fixture)
    assert.deepEqual(await fixture.revisions(), [])
  })

  test('reports why a spec cannot be expanded, and keeps it', async () => {
    await using fixture = await startVmFixture()
    under(fixture, 'expand')
    const { spec } = await fixture.createVm({ ...named, template: { spec: { domain: { devices: {}, cpu: { cores: 2 } } } } })
    const vm = await settled(fixture)
    const failure = findCondition(vm.status?.conditions, 'Failure')
    assert.equal(failure?.reason, 'UnsupportedSyncError')
    assert.ok(failure.message?.startsWith('unsupported error: error encountered while expanding into VirtualMachine: '))
    assert.deepEqual(vm.spec, spec)
  })

  for (const moment of ['before', 'after'] as const) {
    test(`ends the same when the controller is killed ${moment} any write`, async () => {
      for (let write = 1; write < 12; write += 1) {
        await using fixture = await startNamed('reference')
        await settled(fixture)
        await fixture.runGuest()
        under(fixture, 'expandAll')
        let isDead = false
        await fixture.reconcile((client) => crashingClient(client, { write, moment }, () => (isDead = true))).catch(() => {})
        assert.ok(isWrittenOut(await settled(fixture)), `killed ${moment} write ${write}`)
        const left = await fixture.client.list(controllerRevisions, { namespace: fixture.namespace })
        assert.equal(left.items.length, 3, 'start revision, and the two that it names')
        await fixture.endGuest()
        await settled(fixture)
        assert.deepEqual(await fixture.revisions(), [])
        if (!isDead) return assert.ok(write >= 3, `only ${write} writes`)
      }
      assert.fail('the controller never stops writing')
    })
  }
})
