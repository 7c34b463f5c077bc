import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { chmod, chown, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readIfThere } from '#runtime/process/replace-file.ts'
import { isRunning, launchScript, type Domain, type ProcessIdentity } from '#qemu/index.ts'
import { linkSocketsToPod } from './abandoned-sockets.ts'
import { findContainedProcess } from './contained-process.ts'
import { isolatedLaunch, type LaunchIsolation } from './isolation/isolated-launch.ts'
import type { LauncherPaths } from './launcher-paths.ts'

/**
 * Version of the layout that node agent and launcher pod share in the emptyDir `private`. Increased
 * for incompatible changes; an agent must read every version that a running guest may use.
 */
export const launchRecordVersion = 1

/**
 * Complete launch of a guest. Written once, before QEMU starts, and never rendered again while the
 * guest lives.
 */
export interface LaunchRecord {
  readonly version: number
  readonly vmi: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly pod: { readonly uid: string }
  /**
   * Seconds between the first press of the power button and a forced end. Recorded for guests whose
   * VMI is gone.
   */
  readonly gracePeriodSeconds: number
  /** True if the guest stays paused until a user unpauses it. */
  readonly startPaused: boolean
  /** Commands to run before QEMU, such as swtpm. */
  readonly before?: readonly (readonly string[])[]
  /** Path of the QEMU binary. */
  readonly binary: string
  readonly arguments: readonly string[]
  /** The domain that the arguments were built from. */
  readonly domain: Domain
  /** Features that the guest asked for and runs without: fields below `spec.domain`. */
  readonly leftOut?: readonly string[]
  /**
   * Reason why the guest sees other hardware than at its last start. Without `message` the owner
   * allows changes silently.
   */
  readonly hardwareChanged?: { readonly reason: string; readonly message?: string }
  /** Unix socket of the node agent's monitor. */
  readonly monitor: string
  /** Listen address of an incoming migration. */
  readonly incoming?: IncomingPorts
  /** Absent: QEMU runs with the user and the view of its launcher. */
  readonly isolation?: LaunchIsolation
}

/** TCP ports of an incoming migration, for memory and for disks. */
export interface IncomingPorts {
  /** Listen address. Absent in records of older agents, which used 127.0.0.1. */
  readonly host?: string
  readonly memory: number
  readonly storage: number
}

/** Returns the launch record; undefined before the launch. */
export async function readLaunchRecord(paths: LauncherPaths): Promise<LaunchRecord | undefined> {
  const text = await readIfThere(join(paths.recordDirectory, 'launch.json'))
  return text === undefined ? undefined : (JSON.parse(text) as LaunchRecord)
}

/** Writes the launch record, which fixes the guest's hardware. */
export async function writeLaunchRecord(paths: LauncherPaths, record: LaunchRecord): Promise<void> {
  await writeAtomically(join(paths.recordDirectory, 'launch.json'), `${JSON.stringify(record, undefined, 1)}\n`)
}

/** Returns the recorded fingerprint of this launch; undefined before it is recorded. */
export async function readKeptHardware({ recordDirectory }: LauncherPaths): Promise<string | undefined> {
  return readIfThere(join(recordDirectory, 'hardware'))
}

/** Marks the hardware of this launch as recorded. */
export async function writeKeptHardware({ recordDirectory }: LauncherPaths, fingerprint: string): Promise<void> {
  await writeAtomically(join(recordDirectory, 'hardware'), fingerprint)
}

/** Clears the mark: hotplug has changed the hardware. */
export async function forgetKeptHardware({ recordDirectory }: LauncherPaths): Promise<void> {
  await rm(join(recordDirectory, 'hardware'), { force: true })
}

/**
 * Releases the waiting launcher, which then becomes QEMU. Idempotent: a started launcher ignores
 * script and FIFO.
 */
export async function releaseLauncher(paths: LauncherPaths, record: LaunchRecord): Promise<void> {
  const { isolation } = record
  const script = isolation === undefined ? launchScript(record.binary, record.arguments, record.before) : isolatedLaunch(record, isolation)
  if (paths.view.isContained) await handOver(join(paths.sharedDirectory, 'launch.sh'), script)
  else {
    const file = join(paths.sharedDirectory, 'launch.sh')
    await linkSocketsToPod(paths)
    await mkdir(paths.runDirectory, { recursive: true, mode: 0o700 })
    // Once QEMU may run, its directory of sockets is not given to it again: see sealSockets().
    if (isolation !== undefined && (await readIfThere(file)) === undefined)
      await chown(paths.runDirectory, isolation.user.uid, isolation.user.gid)
    await writeAtomically(file, script)
  }
  poke(join(paths.sharedDirectory, 'poke'))
}

/** Process of the launcher: `absent` before its start, `gone` after its end. */
export type LauncherProcess = { readonly kind: 'absent' } | { readonly kind: 'running' | 'gone'; readonly identity: ProcessIdentity }

/**
 * Checks the process whose identity the launcher has recorded. `known` is the answer of the last
 * time: it saves a search for the process of a container.
 */
export async function inspectLauncher(paths: LauncherPaths, known?: LauncherProcess): Promise<LauncherProcess> {
  if (known?.kind === 'running' && isRunning(known.identity)) return known
  const text = await readIfThere(join(paths.sharedDirectory, 'process'))
  if (text === undefined) return { kind: 'absent' }
  const [pid, startTicks, bootId, namespace] = text.trim().split(' ')
  const identity = { pid: Number(pid), startTicks: Number(startTicks) }
  // After a reboot another process may have the same PID and start tick.
  const isThisBoot = bootId === undefined || bootId === (await readIfThere('/proc/sys/kernel/random/boot_id'))?.trim()
  if (!isThisBoot) return { kind: 'gone', identity }
  if (namespace === undefined) return { kind: isRunning(identity) ? 'running' : 'gone', identity }
  const found = await findContainedProcess({ ...identity, namespace }, paths)
  return found === undefined ? { kind: 'gone', identity } : { kind: 'running', identity: found }
}

function poke(fifo: string): void {
  let descriptor: number
  try {
    descriptor = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    // ENXIO, ENOENT: the launcher has not opened the FIFO yet and reads the script afterwards, or
    // it has become QEMU.
    if (isOneOf(error, 'ENXIO', 'ENOENT')) return
    throw error
  }
  try {
    writeSync(descriptor, '\n')
  } catch (error) {
    if (!isOneOf(error, 'EPIPE', 'EAGAIN')) throw error
  } finally {
    closeSync(descriptor)
  }
}

async function writeAtomically(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/**
 * Writes a file for the launcher of a container. The directory belongs to the launcher's user, who
 * may have put a link in the way of root.
 */
async function handOver(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o400)
  try {
    const { uid, gid } = await stat(dirname(path))
    await file.writeFile(content)
    await file.chown(uid, gid)
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

/**
 * Takes the directory of its sockets from an isolated QEMU that has made them. A QEMU that a guest
 * has taken over could replace one by a link to that of another VM, to which the node agent would
 * connect its users.
 */
export async function sealSockets({ runDirectory }: LauncherPaths, { isolation }: LaunchRecord): Promise<void> {
  if (isolation === undefined) return
  await chown(runDirectory, 0, isolation.user.gid)
  await chmod(runDirectory, 0o750)
}

function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
