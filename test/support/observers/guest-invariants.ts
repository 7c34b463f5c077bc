import assert from 'node:assert/strict'
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findGuests } from '#machine/guests/running-guests.ts'
import { findProcesses } from '#machine/supervisor/processes.ts'
import { runStateAt } from './run-state.ts'

/**
 * Fails when a guest of a data directory runs in two QEMUs now, or when two of them may write to
 * the same disk.
 */
export async function assertRunOnce(home: string): Promise<void> {
  const guests = findGuests(home)
  const states = await Promise.all(guests.map(({ monitorSocket = '' }) => runStateAt(monitorSocket)))
  const running = guests.filter((_, index) => states[index] === 'running')
  for (const [name, alike] of Map.groupBy(running, (guest) => guest.name)) assert.equal(alike.length, 1, `${name} runs twice`)
  const opened = guests.flatMap(({ process: { pid } }) => filesOpenedBy(pid).map((file) => ({ file, pid })))
  for (const [file, alike] of Map.groupBy(opened, (one) => one.file)) {
    // While a guest moves, both sides have open what they share; who may write to it has a lock on
    // that.
    if (new Set(alike.map(({ pid }) => pid)).size > 1) assert.ok(mayWrite(file) <= 1, `${file} has two that write to it`)
  }
}

/** Containers that write to volumes: QEMU, and workers that fill them. */
const writers: readonly string[] = ['compute', 'importer']

/**
 * Returns the files below a folder that two processes of a data directory may write to now, with
 * the processes. A guest that moves has both of its QEMUs open its disks: one of them may write.
 */
export function filesWithTwoWriters(home: string, folder: string): readonly string[] {
  const files = filesBelow(folder)
  const filesOf = (pid: number): readonly string[] => inodesWrittenBy(pid).flatMap((inode) => files.get(inode) ?? [])
  const opened = findProcesses(home)
    .filter(({ role }) => writers.includes(role))
    .flatMap((found) => filesOf(found.pid).map((file) => ({ file, found })))
  return [...Map.groupBy(opened, ({ file }) => file)].flatMap(([file, alike]) => {
    const all = new Map(alike.map(({ found }) => [found.pid, found]))
    if (all.size < 2) return []
    const isWorkers = [...all.values()].some(({ role }) => role !== 'compute')
    if (!isWorkers && mayWrite(file) <= 1) return []
    // It may have ended since the list was made.
    const still = [...all.values()].filter(({ pid }) => filesOf(pid).includes(file))
    if (still.length < 2 || (!isWorkers && mayWrite(file) <= 1)) return []
    return [`${file} is open in ${still.map(({ role, pod, pid }) => `${role} of ${pod} (${pid})`).join(' and ')}`]
  })
}

/** Paths of files by inode: processes with mounts of their own have other paths for them. */
function filesBelow(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const status = lstatSync(path, { throwIfNoEntry: false })
    if (status?.isFile() === true) found.set(`${status.dev}:${status.ino}`, path)
    if (status?.isDirectory() === true) for (const [inode, file] of filesBelow(path)) found.set(inode, file)
  }
  return found
}

/** Returns the names in a folder; none when it is gone. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the inodes of regular files that a process has open for writing; none when it ended. */
function inodesWrittenBy(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const found = statSync(`/proc/${pid}/fd/${descriptor}`, { throwIfNoEntry: false })
      return found?.isFile() === true && isForWriting(pid, descriptor) ? [`${found.dev}:${found.ino}`] : []
    })
  } catch {
    return []
  }
}

const accessMode = 0o3

function isForWriting(pid: number, descriptor: string): boolean {
  const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0', 8)
  return (flags & accessMode) !== 0
}

/** Returns the regular files that a process has open for writing; none when it has ended. */
function filesOpenedBy(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const file = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      // Sockets and pipes have no path; devices are shared.
      if (!file.startsWith('/') || file.startsWith('/dev/')) return []
      return isForWriting(pid, descriptor) ? [file] : []
    })
  } catch {
    return []
  }
}

/** QEMU holds a shared lock on this byte of an image while it may write to it. */
const writeByte = 101

/** Returns the number of processes that may write to an image, from the kernel's list of locks. */
function mayWrite(file: string): number {
  let least = Infinity
  // The list is no snapshot: a lock that has just changed hands may be in it twice, once.
  for (let look = 0; look < 3 && least > 1; look++) {
    const inode = statSync(file, { throwIfNoEntry: false })?.ino
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(/OFDLCK +ADVISORY +\w+ +-?\d+ +\w+:\w+:(\d+) (\d+) (\d+|EOF)$/gm)
    const held = [...locks].filter(([, ino, from, to]) => {
      const last = to === 'EOF' ? Infinity : Number(to)
      return Number(ino) === inode && Number(from) <= writeByte && last >= writeByte
    })
    least = Math.min(least, held.length)
  }
  return least
}
