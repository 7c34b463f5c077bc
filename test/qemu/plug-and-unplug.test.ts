import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startTicking } from '#qemu/guest.fixture.ts'
import { hardwareArguments } from '#qemu/migration/incoming-arguments.ts'
import { nothingPlugged, readHotplugged } from '#qemu/hotplug/hotplugged.ts'
import { readMemory, resizeMemory } from '#qemu/hotplug/memory.ts'
import { plugVcpus, readVcpus } from '#qemu/hotplug/vcpus.ts'

const room = {
  cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 2, threads: 1, maxSockets: 3 },
  memory: { bytes: 32 << 20, maxBytes: 96 << 20 },
  hotplugPorts: 9,
}

suite('hotplug', () => {
  test('plugs CPUs from the lowest free slot on, and never unplugs one', async (t) => {
    const { qmp } = await startTicking(t, {}, room)
    assert.deepEqual(await plugVcpus(qmp, 3), { count: 3 })
    const plugged = (await readVcpus(qmp)).filter((place) => place.plugged)
    assert.deepEqual(
      plugged.map(({ socket, core, id }) => [socket, core, id]),
      [
        [0, 0, undefined],
        [0, 1, undefined],
        [1, 0, 'vcpu-1-0-0'],
      ],
    )
    assert.deepEqual(await plugVcpus(qmp, 3), { count: 3 })
    for (const impossible of [2, 7]) {
      const { count, refused } = await plugVcpus(qmp, impossible)
      assert.equal(count, 3)
      assert.notEqual(refused, undefined)
    }
    assert.deepEqual(await plugVcpus(qmp, 6), { count: 6 })
  })

  test('plugs memory, and reports the possible maximum', async (t) => {
    const { qmp } = await startTicking(t, {}, room)
    const { requestedBytes, refused } = await resizeMemory(qmp, 64 << 20)
    assert.deepEqual([requestedBytes, refused], [64 << 20, undefined])
    assert.equal((await resizeMemory(qmp, 96 << 20)).requestedBytes, 96 << 20)
    for (const impossible of [16 << 20, 128 << 20, (64 << 20) + 4096]) {
      const outcome = await resizeMemory(qmp, impossible)
      assert.notEqual(outcome.refused, undefined)
      assert.equal(outcome.requestedBytes, 96 << 20)
    }
    assert.equal((await readMemory(qmp)).baseBytes, 32 << 20)
  })

  test('is impossible without reserved slots', async (t) => {
    const { qmp } = await startTicking(t)
    assert.equal((await plugVcpus(qmp, 2)).count, 1)
    assert.notEqual((await resizeMemory(qmp, 64 << 20)).refused, undefined)
  })

  test("is part of the target's command line once, after any number of migrations", async (t) => {
    const { qmp, arguments: recorded } = await startTicking(t, {}, room)
    assert.deepEqual(await readHotplugged(qmp), { cpus: [], memory: [{ id: 'pluggable0', requestedBytes: 0 }] })
    await plugVcpus(qmp, 3)
    await resizeMemory(qmp, 64 << 20)
    const now = await readHotplugged(qmp)
    const first = hardwareArguments(recorded, now)
    assert.ok(first.includes('qemu64-x86_64-cpu,id=vcpu-1-0-0,socket-id=1,core-id=0,thread-id=0'))
    assert.ok(first.some((word) => word.startsWith('virtio-mem-pci,') && word.endsWith(`requested-size=${32 << 20}`)))
    assert.deepEqual(hardwareArguments([...first, '-S', '-incoming', 'defer'], now), first)
    assert.deepEqual(hardwareArguments(first, { ...nothingPlugged, memory: now.memory }).length, first.length - 2)
  })
})
