import { connect } from 'node:net'
import { join } from 'node:path'
import { buildDemoGuest } from '#machine/demo-guest/build.ts'
import { buildArguments, findProgram, type Domain } from '#qemu/index.ts'
import { startQemu, systemQemu, temporaryFolder, ticking, until, type Ends, type TestQemu } from '#qemu/guest.fixture.ts'
import { repository } from '../support/machine.ts'
import { demoKernelArguments } from '../support/manifests.ts'
import { cacheFolder } from '../support/cache.ts'

const bootTimeoutMs = 60_000
const answerTimeoutMs = 30_000

/** Differences from a guest of one CPU and 256 MiB. */
interface LinuxOptions {
  readonly commandLine?: string
  readonly hpet?: boolean
  readonly maxMemoryBytes?: number
  readonly maxSockets?: number
  readonly hotplugPorts?: number
  readonly drives?: Domain['drives']
  /** Runs while the guest boots. */
  readonly duringBoot?: (guest: TestQemu) => Promise<void>
}

/** Boots the demo guest and waits for its shell. */
export async function startLinux(t: Ends, options: LinuxOptions = {}): Promise<TestQemu> {
  const { commandLine = demoKernelArguments, hpet = true, maxMemoryBytes, maxSockets, hotplugPorts = 0, drives = [], duringBoot } = options
  const folder = await temporaryFolder(t)
  const sources = {
    kernelDirectory: join(cacheFolder, 'guest-kernel'),
    busybox: (await findProgram('busybox', process.env['PATH'])) ?? 'busybox',
    sshDirectory: join(cacheFolder, 'guest-ssh'),
    guestDirectory: join(repository, 'guest'),
  }
  await buildDemoGuest(sources, join(folder, 'image'))
  const domain = ticking(folder, {
    // With room for more memory, Linux reserves 64 MiB for 32-bit DMA; 128 MiB would not boot.
    memory: { bytes: 256 << 20, ...(maxMemoryBytes === undefined ? {} : { maxBytes: maxMemoryBytes }) },
    cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1, ...(maxSockets === undefined ? {} : { maxSockets }) },
    clock: { base: 'utc', hpet, pit: true },
    disks: [],
    drives,
    hotplugPorts,
    kernel: { kernelPath: join(folder, 'image', 'boot', 'vmlinuz'), initrdPath: join(folder, 'image', 'boot', 'initrd'), commandLine },
    startPaused: false,
  })
  const guest = await startQemu(t, systemQemu, buildArguments(domain), folder)
  await duringBoot?.(guest)
  await until('Linux is up', () => guest.printed().includes('steadyvm-guest: ready'), bootTimeoutMs)
  return guest
}

/**
 * Types the command into the guest's shell, and again every 100 polls, until the console shows the
 * answer.
 */
export async function untilGuestPrints(guest: TestQemu, command: string, wanted: RegExp): Promise<RegExpExecArray> {
  const socket = connect(join(guest.folder, 'serial'))
  socket.on('error', () => {})
  const start = guest.printed().length
  let match: RegExpExecArray | null = null
  try {
    let looks = 0
    await until(
      `"${command}" prints ${wanted.source}`,
      () => {
        if (looks++ % 100 === 0) socket.write(`${command}\n`)
        match = wanted.exec(guest.printed().slice(start))
        return match !== null
      },
      answerTimeoutMs,
    )
  } finally {
    socket.destroy()
  }
  if (match === null) throw new TypeError(`"${command}" has printed nothing`)
  return match
}
