import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { findGuests } from '#machine/guests/running-guests.ts'
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

const accessMode = 0o3

/** Returns the regular files that a process has open for writing; none when it has ended. */
function filesOpenedBy(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const file = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      // Sockets and pipes have no path; devices are shared.
      if (!file.startsWith('/') || file.startsWith('/dev/')) return []
      const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0', 8)
      return (flags & accessMode) === 0 ? [] : [file]
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
