import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { refreshAnnotation } from '#features/instancetype/index.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

const template = {
  metadata: { annotations: { mine: 'vm' } },
  spec: {
    domain: { devices: { autoattachInputDevice: true } },
    volumes: [{ name: 'root', containerDisk: { image: 'x' } }],
  },
}

suite('the VMI of a VM', () => {
  test('has the values of type and preference, also on devices that are added automatically (9095, 9302, 9303)', async () => {
    await using fixture = await startVmFixture()
    await fixture.setInstancetype('small', {
      cpu: { guest: 2 },
      memory: { guest: '1Gi', overcommitPercent: 15 },
      annotations: { type: 'a' },
    })
    await fixture.setPreference('linux', {
      annotations: { mine: 'preference', theirs: 'b' },
      preferredSubdomain: 'sub',
      preferredTerminationGracePeriodSeconds: 7,
      features: { preferredHyperv: { vapic: { enabled: true } } },
      firmware: { preferredUseBios: true },
      devices: {
        preferredDiskBus: 'virtio',
        preferredInterfaceModel: 'e1000',
        preferredInputBus: 'virtio',
        preferredInputType: 'keyboard',
      },
    })
    const { spec } = await fixture.createVm({ ...named, runStrategy: 'Always', template } as never)
    await fixture.reconcile()
    const vmi = await fixture.vmi()
    const { domain } = vmi.spec
    assert.equal(domain.cpu?.sockets, 2)
    assert.equal(domain.memory?.guest, '1Gi')
    assert.equal(domain.resources?.requests?.['memory'], '912680576')
    assert.deepEqual(domain.devices.disks, [{ name: 'root', disk: { bus: 'virtio' } }])
    assert.deepEqual([domain.devices.interfaces?.[0]?.name, domain.devices.interfaces?.[0]?.model], ['default', 'e1000'])
    assert.deepEqual(domain.devices.inputs, [{ name: 'default-0', bus: 'virtio', type: 'keyboard' }])
    assert.deepEqual(domain.features?.hyperv, { vapic: { enabled: true } })
    assert.deepEqual(domain.firmware?.bootloader, { bios: {} })
    assert.deepEqual([vmi.spec.subdomain, vmi.spec.terminationGracePeriodSeconds], ['sub', 7])
    const { annotations = {} } = vmi.metadata
    assert.deepEqual(
      ['mine', 'theirs', 'type', 'kubevirt.io/instancetype-name', 'kubevirt.io/preference-name'].map((key) => annotations[key]),
      ['vm', 'b', 'a', 'small', 'linux'],
    )
    assert.deepEqual((await fixture.vm()).spec, spec)
  })

  test('has no automatic devices when they are disabled', async () => {
    for (const [autoattach, inputs, interfaces] of [
      [{}, 0, 1],
      [{ autoattachInputDevice: true }, 1, 1],
      [{ autoattachInputDevice: false, autoattachPodInterface: false }, 0, 0],
      [{ autoattachInputDevice: true, inputs: [{ name: 'mine', type: 'tablet', bus: 'usb' }] }, 1, 1],
    ] as const) {
      await using fixture = await startVmFixture()
      await fixture.createVm({ ...named, runStrategy: 'Always', template: { spec: { domain: { devices: autoattach } } } } as never)
      await fixture.reconcile()
      const { devices } = (await fixture.vmi()).spec.domain
      assert.deepEqual([devices.inputs?.length ?? 0, devices.interfaces?.length ?? 0], [inputs, interfaces], JSON.stringify(autoattach))
    }
  })
})

/**
 * Starts a guest, then switches its VM to another type with a pending refresh, not yet reconciled.
 */
async function startChange(): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.createVm({ ...named, runStrategy: 'Always' })
  await fixture.reconcile()
  await fixture.runGuest()
  await fixture.reconcile()
  await fixture.setInstancetype('small', { cpu: { guest: 4 }, memory: { guest: '1Gi' } })
  await fixture.setPreference('linux', {})
  await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: 'now', 'steadyvm.io/revision-history-limit': '0' } } })
  return fixture
}

suite('a controller that is killed at any write', () => {
  for (const moment of ['before', 'after'] as const) {
    test(`completes a refresh of a running guest, ${moment} each write`, async () => {
      let deaths = 0
      // The second write finds the preference captured already.
      for (let write = 1; write <= 6; write += 1) {
        await using fixture = await startChange()
        await fixture.reconcile((client) => crashingClient(client, { write, moment }, () => void (deaths += 1))).catch(() => {})
        await fixture.reconcile()
        await fixture.reconcile()
        const { status } = await fixture.vm()
        assert.match(status?.instancetypeRef?.controllerRevisionRef?.name ?? '', /-2$/)
        assert.equal(status?.steadyvm?.refresh, 'now')
        assert.equal((await fixture.vmi()).spec.domain.cpu?.sockets, 4)
        assert.equal((await fixture.revisions()).length, 3, 'the guest was started from the first')
        const { resourceVersion } = (await fixture.vm()).metadata
        await fixture.reconcile()
        assert.equal((await fixture.vm()).metadata.resourceVersion, resourceVersion, 'and then all is quiet')
      }
      assert.ok(deaths >= 4, `only ${deaths} deaths`)
    })
  }
})
