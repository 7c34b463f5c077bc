import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { buildDemoGuest } from '#machine/demo-guest/build.ts'
import { buildArguments, findProgram, plugVcpus, readMemory, resizeMemory } from '#qemu/index.ts'
import { newerQemu, startQemu, startTarget, systemQemu, temporaryFolder, ticking, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { move } from '#qemu/migration/guest-move.fixture.ts'
import { repository } from '../support/machine.ts'
import { connect } from 'node:net'

/** A Linux that says what it has. */
async function startLinux(t: TestContext): Promise<TestQemu> {
  const folder = await temporaryFolder(t)
  const cache = join(process.env['STEADYVM_HOME'] ?? join(homedir(), '.steadyvm'), 'cache')
  const sources = {
    kernelDirectory: join(cache, 'guest-kernel'),
    busybox: (await findProgram('busybox', process.env['PATH'])) ?? 'busybox',
    guestDirectory: join(repository, 'guest'),
  }
  await buildDemoGuest(sources, join(folder, 'image'))
  const domain = ticking(folder, {
    // With room for more, Linux sets 64 MiB aside for devices that reach only 4 GiB: with half of
    // this it does not come up.
    memory: { bytes: 256 << 20, maxBytes: 512 << 20 },
    cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1, maxSockets: 3 },
    disks: [],
    kernel: {
      kernelPath: join(folder, 'image', 'boot', 'vmlinuz'),
      initrdPath: join(folder, 'image', 'boot', 'initrd'),
      commandLine: 'console=ttyS0 quiet panic=-1 no_timer_check nokaslr mitigations=off tsc=reliable edd=off cryptomgr.notests',
    },
    startPaused: false,
  })
  const guest = await startQemu(t, systemQemu, buildArguments(domain), folder)
  await until('Linux is up', () => guest.printed().includes('steadyvm-guest: ready'), 60_000)
  return guest
}

/** Asks the guest's shell until it answers what is wanted. */
async function untilGuestSays(guest: TestQemu, command: string, wanted: RegExp): Promise<void> {
  const socket = connect(join(guest.folder, 'serial'))
  socket.on('error', () => {})
  const start = guest.printed().length
  try {
    let asked = 0
    await until(
      `"${command}" prints ${wanted.source}`,
      () => {
        if (asked++ % 100 === 0) socket.write(`${command}\n`)
        return wanted.test(guest.printed().slice(start))
      },
      30_000,
    )
  } finally {
    socket.destroy()
  }
}

suite('what is plugged in', () => {
  test('is used by Linux, goes along to a newer QEMU, and can be given more there', { skip: newerQemu.skip }, async (t) => {
    const guest = await startLinux(t)
    assert.deepEqual(await plugVcpus(guest.qmp, 2), { count: 2 })
    await untilGuestSays(guest, 'echo cpus:$(nproc):', /cpus:2:/)
    await resizeMemory(guest.qmp, 384 << 20)
    await until('Linux has taken the memory', async () => (await readMemory(guest.qmp)).devices[0]?.bytes === 128 << 20)
    const target = await startTarget(t, guest, { binary: newerQemu.binary })
    const { step } = await move(guest, target)
    assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' })
    await untilGuestSays(target, 'echo cpus:$(nproc):', /cpus:2:/)
    assert.equal((await readMemory(target.qmp)).devices[0]?.bytes, 128 << 20)
    assert.deepEqual(await plugVcpus(target.qmp, 3), { count: 3 })
    await untilGuestSays(target, 'echo cpus:$(nproc):', /cpus:3:/)
    await resizeMemory(target.qmp, 256 << 20)
    await until('Linux has given the memory back', async () => (await readMemory(target.qmp)).devices[0]?.bytes === 0)
  })
})
