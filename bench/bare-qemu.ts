import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildArguments, connectQmp, queryRunState, type Domain, type QmpConnection } from '#qemu/index.ts'
import { memoryOf, type ProcessMemory } from './memory.ts'
import { waitFor } from './wait-for.ts'

/** The same guest started by hand with the same devices: what no control plane can undercut. */
export interface BareQemu {
  readonly runningMs: number
  readonly userspaceMs: number
  readonly memory: ProcessMemory
}

/** Starts it once, measures, ends it. `home` is a data directory that has the demo guest. */
export async function startBareQemu(home: string): Promise<BareQemu> {
  const folder = await mkdtemp(join(tmpdir(), 'bare-'))
  const image = join(home, 'images/steadyvm.io/demo-guest/v1/boot')
  const log = join(folder, 'serial.log')
  const args = buildArguments({
    ...bareDomain(folder, 96),
    kernel: {
      kernelPath: join(image, 'vmlinuz'),
      initrdPath: join(image, 'initrd'),
      commandLine:
        'console=ttyS0 quiet panic=-1 no_timer_check nokaslr mitigations=off tsc=reliable edd=off cryptomgr.notests noreplace-smp',
    },
  })
  const started = performance.now()
  const child = spawn('qemu-system-x86_64', args, { stdio: 'ignore' })
  try {
    const qmp = await connectWhenThere(join(folder, 'm0'))
    await waitFor('QEMU runs the guest', async () => (await queryRunState(qmp)) === 'running', { everyMs: 2 })
    const runningMs = performance.now() - started
    await waitFor('the guest has booted', () => contains(log, 'steadyvm-guest: ready'), { everyMs: 10 })
    const userspaceMs = performance.now() - started
    await sleep(2_000)
    return { runningMs, userspaceMs, memory: memoryOf(child.pid ?? 0) }
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

/** The least that a guest is started with: its sockets are in the folder. */
export function bareDomain(folder: string, mebibytes: number): Domain {
  return {
    name: 'bare',
    uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0002',
    machine: { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true, smm: false, virtioTransitional: false },
    cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1 },
    memory: { bytes: mebibytes * 1024 * 1024 },
    firmware: { kind: 'bios', useSerial: false },
    clock: { base: 'utc', hpet: true, pit: true },
    ioThreads: [],
    disks: [],
    interfaces: [],
    inputs: [],
    serial: { socketPath: join(folder, 'serial'), logPath: join(folder, 'serial.log') },
    guestAgentSocket: join(folder, 'agent'),
    balloon: true,
    rng: false,
    smbios: { system: {}, chassis: {} },
    monitors: [join(folder, 'm0'), join(folder, 'm1')],
    startPaused: false,
  }
}

async function connectWhenThere(path: string): Promise<QmpConnection> {
  let connection: QmpConnection | undefined
  const isConnected = async (): Promise<boolean> => (connection = await connectQmp(path).catch(() => undefined)) !== undefined
  await waitFor(`QEMU listens at ${path}`, isConnected, { everyMs: 2, limitMs: 30_000 })
  return connection as QmpConnection
}

function contains(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(text)
  } catch {
    return false
  }
}
