import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { startTicking } from '#qemu/guest.fixture.ts'
import { hardwareArguments } from '#qemu/migration/incoming-arguments.ts'
import { nothingPlugged, readHotplugged } from '#qemu/hotplug/hotplugged.ts'
import type { Interface } from '#qemu/domain/domain.ts'
import { plugCard, readFreePorts } from '#qemu/hotplug/cards.ts'
import { readMemory, resizeMemory } from '#qemu/hotplug/memory.ts'
import { plugVcpus, readVcpus } from '#qemu/hotplug/vcpus.ts'

const room = {
  cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 2, threads: 1, maxSockets: 3 },
  memory: { bytes: 32 << 20, maxBytes: 96 << 20 },
  hotplugPorts: 9,
}

/** Tap devices need root. */
const noTaps = process.geteuid?.() !== 0 && 'tap devices need root'

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
    assert.deepEqual(await readHotplugged(qmp), { cpus: [], memory: [{ id: 'pluggable0', requestedBytes: 0 }], cards: [] })
    await plugVcpus(qmp, 3)
    await resizeMemory(qmp, 64 << 20)
    const now = await readHotplugged(qmp)
    const first = hardwareArguments(recorded, now)
    assert.ok(first.includes('qemu64-x86_64-cpu,id=vcpu-1-0-0,socket-id=1,core-id=0,thread-id=0'))
    assert.ok(first.some((word) => word.startsWith('virtio-mem-pci,') && word.endsWith(`requested-size=${32 << 20}`)))
    assert.deepEqual(hardwareArguments([...first, '-S', '-incoming', 'defer'], now), first)
    assert.deepEqual(hardwareArguments(first, { ...nothingPlugged, memory: now.memory }).length, first.length - 2)
  })

  test('plugs cards into free ports, as a command line has them, and leaves out those that are gone', { skip: noTaps }, async (t) => {
    const taps = ['tapA', 'tapB'].map((name) => `${name}${process.pid}`)
    const cards = taps.map((device, index): Interface & { port: number } => ({
      name: `n${index}`,
      model: 'virtio',
      mac: `02:00:00:00:00:0${index}`,
      port: index + 4,
      ...(index === 1 ? { queues: 2 } : {}),
      backend: { kind: 'tap', device },
    }))
    for (const [index, tap] of taps.entries()) {
      spawnSync('ip', ['tuntap', 'add', 'dev', tap, 'mode', 'tap', ...(index === 1 ? ['multi_queue'] : [])])
      t.after(() => spawnSync('ip', ['link', 'delete', tap]))
    }
    const [boot, plugged] = cards as [(typeof cards)[0], (typeof cards)[0]]
    const { qmp, arguments: recorded } = await startTicking(t, {}, { ...room, interfaces: [boot] })
    assert.deepEqual(await readFreePorts(qmp), [0, 1, 2, 3, 5, 6, 7, 8])
    // Twice, as by an agent that was killed before it read the answer.
    for (let times = 0; times < 2; times++) assert.equal(await plugCard(qmp, plugged, { virtioTransitional: false }), undefined)
    assert.deepEqual(await readFreePorts(qmp), [0, 1, 2, 3, 6, 7, 8])
    assert.match((await plugCard(qmp, { ...plugged, name: 'n2', port: 99 }, { virtioTransitional: false })) ?? '', /port99/)
    const now = await readHotplugged(qmp)
    const backend = { kind: 'user', restrict: true } as const
    const started = (await startTicking(t, {}, { ...room, interfaces: cards.map((card) => ({ ...card, backend })) })).arguments
    const target = hardwareArguments(recorded, now)
    const deviceOf = (args: readonly string[], id: string): string | undefined => args.find((word) => word.includes(`,id=${id},`))
    assert.equal(deviceOf(target, 'nic-n1'), deviceOf(started, 'nic-n1'), 'as after a restart')
    assert.deepEqual(hardwareArguments(target, now), target)
    const alone = hardwareArguments(target, { ...now, cards: (now.cards ?? []).filter(({ name }) => name === 'n1') })
    assert.equal(deviceOf(alone, 'nic-n0'), undefined)
    assert.equal(alone.filter((word) => word.includes('net-n0')).length, 0)
  })
})
