import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { countIdleVcpus, plugVcpus, readMemory, resizeMemory } from '#qemu/index.ts'
import { newerQemu, startTarget, until } from '#qemu/guest.fixture.ts'
import { move } from '#qemu/migration/guest-move.fixture.ts'
import { demoKernelArguments } from '../support/manifests.ts'
import { startLinux, untilGuestPrints } from './linux-guest.ts'

suite('CPUs that are plugged in while Linux boots', () => {
  test('are brought online, and count as idle until then', async (t) => {
    const guest = await startLinux(t, {
      // Not quiet: the kernel says when it hands over to init, which is after it has started its
      // CPUs.
      commandLine: demoKernelArguments.replace(' quiet', ''),
      maxSockets: 3,
      duringBoot: async (booting) => {
        await until('the kernel starts init', () => booting.printed().includes('Run /init'), 60_000)
        assert.deepEqual(await plugVcpus(booting.qmp, 3), { count: 3 })
        assert.equal(await countIdleVcpus(booting.qmp), 2)
      },
    })
    await untilGuestPrints(guest, 'echo cpus:$(nproc):', /cpus:3:/)
    assert.equal(await countIdleVcpus(guest.qmp), 0)
  })
})

suite('plugged CPUs and memory', () => {
  test('are used by Linux and migrated to a newer QEMU, where more can be plugged', { skip: newerQemu.skip }, async (t) => {
    const guest = await startLinux(t, { maxMemoryBytes: 512 << 20, maxSockets: 3 })
    assert.deepEqual(await plugVcpus(guest.qmp, 2), { count: 2 })
    await untilGuestPrints(guest, 'echo cpus:$(nproc):', /cpus:2:/)
    await resizeMemory(guest.qmp, 384 << 20)
    await until('Linux has taken the memory', async () => (await readMemory(guest.qmp)).devices[0]?.bytes === 128 << 20)
    const target = await startTarget(t, guest, { binary: newerQemu.binary })
    const { step } = await move(guest, target)
    assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' })
    await untilGuestPrints(target, 'echo cpus:$(nproc):', /cpus:2:/)
    assert.equal((await readMemory(target.qmp)).devices[0]?.bytes, 128 << 20)
    assert.deepEqual(await plugVcpus(target.qmp, 3), { count: 3 })
    await untilGuestPrints(target, 'echo cpus:$(nproc):', /cpus:3:/)
    await resizeMemory(target.qmp, 256 << 20)
    await until('Linux has given the memory back', async () => (await readMemory(target.qmp)).devices[0]?.bytes === 0)
  })
})
