import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRunning, launchScript, type Domain, type ProcessIdentity } from '#qemu/index.ts'

/**
 * What the node agent and a launcher pod share: the pod's emptyDir `private`. Bumped when a reader
 * of the old layout would misunderstand the new one; an agent must read every version that a living
 * guest may have been launched with.
 */
export const launchRecordVersion = 1

/**
 * Everything a guest was launched with. Written once, before QEMU starts, and never rendered again
 * while the guest lives.
 */
export interface LaunchRecord {
  readonly version: number
  readonly vmi: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly pod: { readonly uid: string }
  /**
   * Seconds between the first press of the power button and the end of patience. Kept here for
   * guests whose object has vanished.
   */
  readonly gracePeriodSeconds: number
  /** Whether the guest stays stopped until somebody unpauses it. */
  readonly startPaused: boolean
  /** Commands that are run before QEMU, word by word: processes that it needs. */
  readonly before?: readonly (readonly string[])[]
  /** Path of the QEMU binary and its arguments, word by word. */
  readonly binary: string
  readonly arguments: readonly string[]
  /** The description from which the arguments were made. */
  readonly domain: Domain
  /** What the guest asked for and runs without: fields below `spec.domain`. */
  readonly leftOut?: readonly string[]
  /**
   * Why the guest sees other hardware than at its last start. Without a message its owner does not
   * want to know.
   */
  readonly hardwareChanged?: { readonly reason: string; readonly message?: string }
  /** Unix socket of the agent's monitor. */
  readonly monitor: string
  /** For a guest that comes from another node: where it is received. */
  readonly incoming?: IncomingPorts
}

/** TCP ports of a guest that comes from another node, for its memory and for its disks. */
export interface IncomingPorts {
  /** Address that they are of. Absent in records of agents that knew only 127.0.0.1. */
  readonly host?: string
  readonly memory: number
  readonly storage: number
}

/** The directories of one launcher pod on this node. */
export interface LauncherPaths {
  readonly podDirectory: string
  /** The emptyDir `private`: record, script, disks, logs. */
  readonly privateDirectory: string
  /** Short directory for unix sockets, whose paths must stay below 108 bytes. */
  readonly runDirectory: string
}

/**
 * Paths of a pod. `podsDirectory` is the kubelet's, `runDirectory` a short one that all nodes of a
 * machine may share.
 */
export function launcherPaths(podsDirectory: string, runDirectory: string, podUid: string): LauncherPaths {
  const podDirectory = join(podsDirectory, podUid)
  return {
    podDirectory,
    privateDirectory: join(podDirectory, 'volumes/kubernetes.io~empty-dir/private'),
    runDirectory: join(runDirectory, podUid.replaceAll('-', '').slice(0, 12)),
  }
}

/** Where the kubelet puts the files of an image volume. */
export function imageVolumeDirectory(paths: LauncherPaths, volume: string): string {
  return join(paths.podDirectory, 'volumes/kubernetes.io~image', volume)
}

/** The pod volume in which a guest's firmware and TPM keep what they remember over restarts. */
export const persistentStateVolume = 'persistent-state'

/**
 * Where the claim is that a guest keeps its firmware's variables and its TPM's state in, if it has
 * one.
 */
export function persistentStateDirectory(paths: LauncherPaths): string {
  return claimVolumePath(paths, persistentStateVolume)
}

/** Where the kubelet puts a claim: a folder, a raw file or a device. */
export function claimVolumePath(paths: LauncherPaths, volume: string): string {
  return join(paths.podDirectory, 'volumes/kubernetes.io~local-volume', volume)
}

/** Where the kubelet puts a folder of its node. */
export function hostPathVolumePath(paths: LauncherPaths, volume: string): string {
  return join(paths.podDirectory, 'volumes/kubernetes.io~host-path', volume)
}

/** The record of a pod's guest, or undefined when nothing was launched. */
export async function readLaunchRecord(paths: LauncherPaths): Promise<LaunchRecord | undefined> {
  const text = await readIfThere(join(paths.privateDirectory, 'launch.json'))
  return text === undefined ? undefined : (JSON.parse(text) as LaunchRecord)
}

/** Keeps the record. After this the guest's hardware is decided. */
export async function writeLaunchRecord(paths: LauncherPaths, record: LaunchRecord): Promise<void> {
  await writeAtomically(join(paths.privateDirectory, 'launch.json'), `${JSON.stringify(record, undefined, 1)}\n`)
}

/** The fingerprint that is on record for this launch, or undefined when nobody has looked yet. */
export async function readKeptHardware({ privateDirectory }: LauncherPaths): Promise<string | undefined> {
  return readIfThere(join(privateDirectory, 'hardware'))
}

/** Notes that the hardware of this launch is on record, so that it is not asked for again. */
export async function writeKeptHardware({ privateDirectory }: LauncherPaths, fingerprint: string): Promise<void> {
  await writeAtomically(join(privateDirectory, 'hardware'), fingerprint)
}

/** Takes that note away: what the guest sees has changed while it ran. */
export async function forgetKeptHardware({ privateDirectory }: LauncherPaths): Promise<void> {
  await rm(join(privateDirectory, 'hardware'), { force: true })
}

/**
 * Lets the waiting launcher become QEMU. Can be repeated at any time: a launcher that has started
 * already neither reads the script nor the FIFO again.
 */
export async function releaseLauncher(paths: LauncherPaths, record: LaunchRecord): Promise<void> {
  await mkdir(paths.runDirectory, { recursive: true, mode: 0o700 })
  await writeAtomically(join(paths.privateDirectory, 'launch.sh'), launchScript(record.binary, record.arguments, record.before))
  poke(join(paths.privateDirectory, 'poke'))
}

/** The launcher's process: `absent` before it has started, `gone` after it has ended. */
export type LauncherProcess = { readonly kind: 'absent' } | { readonly kind: 'running' | 'gone'; readonly identity: ProcessIdentity }

/** Looks at the process that the launcher has recorded about itself. */
export async function inspectLauncher(paths: LauncherPaths): Promise<LauncherProcess> {
  const text = await readIfThere(join(paths.privateDirectory, 'process'))
  if (text === undefined) return { kind: 'absent' }
  const [pid, startTicks, bootId] = text.trim().split(' ')
  const identity = { pid: Number(pid), startTicks: Number(startTicks) }
  // After a reboot, processes of the same number may well start at the same tick.
  const isThisBoot = bootId === undefined || bootId === (await readIfThere('/proc/sys/kernel/random/boot_id'))?.trim()
  return { kind: isThisBoot && isRunning(identity) ? 'running' : 'gone', identity }
}

function poke(fifo: string): void {
  let descriptor: number
  try {
    descriptor = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    // ENXIO, ENOENT: the launcher has not opened the FIFO yet, and looks for the script after it
    // has. Or it is QEMU by now.
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

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
