import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Disk, Domain } from './domain/domain.ts'
import { buildArguments } from './domain/arguments.ts'
import { readHotplugged } from './hotplug/hotplugged.ts'
import type { Relocate } from './launch/host-paths.ts'
import { incomingArguments } from './migration/incoming-arguments.ts'
import { connectQmp, type QmpConnection } from './qmp/connection.ts'
import { cacheFolder } from '#test/cache.ts'
import { tickingDisk, type Ticking } from './ticking-disk.fixture.ts'

const newerFolder = join(cacheFolder, 'qemu-backports')

/** The QEMU of the system. */
export const systemQemu = 'qemu-system-x86_64'

/** The QEMU that set-up has fetched for the tests, and why tests with it are skipped. */
export const newerQemu: { readonly folder: string; readonly binary: string; readonly skip: string | false } = {
  folder: newerFolder,
  binary: join(newerFolder, 'bin', systemQemu),
  skip: existsSync(join(newerFolder, 'bin', systemQemu)) ? false : 'there is no second QEMU: node tools/setup.mjs --test fetches one',
}

/** A scope whose end runs clean-up functions, such as a test. */
export interface Ends {
  after(clean: () => unknown): void
}

/** A QEMU of a test. */
export interface TestQemu {
  readonly binary: string
  readonly arguments: readonly string[]
  /** Folder of its sockets and files. */
  readonly folder: string
  readonly pid: number
  readonly qmp: QmpConnection
  /** Opens a connection to the second monitor, like a later process. */
  readonly connect: () => Promise<QmpConnection>
  readonly exited: Promise<number | null>
  readonly hasExited: () => boolean
  readonly complaints: () => string
  /** Returns the console output of the guest. */
  readonly printed: () => string
  readonly kill: () => Promise<void>
}

/** Creates a folder that is deleted after the test. */
export async function temporaryFolder(t: Ends): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'qemu-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A guest of 32 MiB with a boot disk, whose files are in `folder`. */
export function ticking(folder: string, change: Partial<Domain> = {}): Domain {
  return {
    name: 'test',
    uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0001',
    machine: { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true, smm: false, virtioTransitional: false },
    cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1 },
    memory: { bytes: 32 << 20 },
    firmware: { kind: 'bios', useSerial: false },
    clock: { base: 'utc', hpet: true, pit: true },
    ioThreads: [],
    disks: [bootDisk(join(folder, 'boot.img'))],
    interfaces: [],
    inputs: [],
    serial: { socketPath: join(folder, 'serial'), logPath: join(folder, 'serial.log') },
    balloon: false,
    rng: false,
    smbios: { system: {}, chassis: {} },
    monitors: [join(folder, 'agent.qmp'), join(folder, 'tools.qmp')],
    startPaused: true,
    ...change,
  }
}

/** The disk that the guest boots from. */
export function bootDisk(path: string): Disk {
  return { name: 'boot', path, format: 'raw', readOnly: false, device: 'disk', bus: 'virtio', bootOrder: 1 }
}

/** Starts a guest, which runs when this returns. `change` is of {@link ticking}. */
export async function startTicking(
  t: Ends,
  load: Ticking = {},
  change: Partial<Domain> | ((folder: string) => Partial<Domain>) = {},
  binary: string = systemQemu,
): Promise<TestQemu> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'boot.img'), tickingDisk(load))
  const domain = ticking(folder, typeof change === 'function' ? change(folder) : change)
  const guest = await startQemu(t, binary, buildArguments(domain), folder)
  await guest.qmp.execute('cont')
  await until('the guest ticks', () => guest.printed().length > 2)
  return guest
}

/** Starts QEMU and connects to its first monitor, `agent.qmp` in the folder. */
export async function startQemu(t: Ends, binary: string, args: readonly string[], folder: string): Promise<TestQemu> {
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const log = join(folder, 'stderr.log')
  const written = createWriteStream(log)
  child.stderr.pipe(written)
  const exited = once(child, 'exit').then(async ([code]) => {
    await new Promise((resolve) => written.end(resolve))
    return code as number | null
  })
  exited.catch(() => {})
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  t.after(kill)
  const complaints = (): string => read(log)
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null
  const connect = (): Promise<QmpConnection> => connectQmp(join(folder, 'tools.qmp'))
  const qmp = await connectWhenThere(join(folder, 'agent.qmp'), () => {
    if (hasExited()) throw new Error(`QEMU ended: ${complaints()}`)
  })
  t.after(() => qmp[Symbol.dispose]())
  const printed = (): string => read(join(folder, 'serial.log'))
  return { binary, arguments: args, folder, pid: child.pid ?? 0, qmp, connect, exited, hasExited, complaints, printed, kill }
}

/** Waits until something is so; a hang is the test's own limit of time. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, forMs = 20_000): Promise<void> {
  const start = performance.now()
  while (!(await isSo())) {
    if (performance.now() - start > forMs) throw new Error(`It has not come about in ${forMs} ms that ${what}`)
    await sleep(5)
  }
}

async function connectWhenThere(path: string, check: () => void): Promise<QmpConnection> {
  for (;;) {
    check()
    try {
      return await connectQmp(path)
    } catch {
      await sleep(5)
    }
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Starts a target for a guest: the same command line with sockets of its own. Disks are the
 * source's own files but for those in `ownDisks`.
 */
export async function startTarget(
  t: Ends,
  source: TestQemu,
  options: { readonly binary?: string; readonly ownDisks?: readonly string[]; readonly change?: (args: string[]) => string[] } = {},
): Promise<TestQemu> {
  const folder = await temporaryFolder(t)
  const { binary = source.binary, ownDisks = [], change = (args) => args } = options
  const relocate: Relocate = (path, { kind }) =>
    kind === 'socket' || kind === 'log' || ownDisks.includes(basename(path)) ? join(folder, basename(path)) : path
  for (const disk of ownDisks) await writeFile(join(folder, disk), Buffer.alloc((await stat(join(source.folder, disk))).size))
  const args = incomingArguments(source.arguments, relocate, await readHotplugged(source.qmp))
  return startQemu(t, binary, change(args), folder)
}
