import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { findGuests, type RunningGuest } from '#machine/guests.ts'
import { connectQmp, queryRunState } from '#qemu/index.ts'

/** Fails when a guest of a data directory runs in two QEMUs at this moment, or two of them have the same file open for writing. */
export async function assertRunOnce(home: string): Promise<void> {
  const guests = findGuests(home)
  const states = await Promise.all(guests.map(stateOf))
  const running = guests.filter((_, index) => states[index] === 'running')
  for (const [name, alike] of Map.groupBy(running, (guest) => guest.name)) assert.equal(alike.length, 1, `${name} runs twice`)
  const written = guests.flatMap(({ process: { pid } }) => filesWrittenBy(pid).map((file) => ({ file, pid })))
  for (const [file, writers] of Map.groupBy(written, (one) => one.file)) {
    const pids = new Set(writers.map(({ pid }) => pid))
    assert.equal(pids.size, 1, `${file} is written by ${[...pids].join()}`)
  }
}

/** Undefined for one that cannot be asked: it runs its guest no more, or not yet. */
async function stateOf({ monitorSocket = '' }: RunningGuest): Promise<string | undefined> {
  const connection = await connectQmp(monitorSocket, { greetingTimeoutMs: 1_000 }).catch(() => undefined)
  try {
    return connection && (await queryRunState(connection))
  } catch {
    return undefined
  } finally {
    connection?.[Symbol.dispose]()
  }
}

const accessMode = 0o3

/** Regular files that a process has open, and not only for reading. None when it is gone. */
function filesWrittenBy(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const file = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      // Sockets and pipes have no path; devices and logs of the machine are everybody's.
      if (!file.startsWith('/') || file.startsWith('/dev/')) return []
      const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0', 8)
      return (flags & accessMode) === 0 ? [] : [file]
    })
  } catch {
    return []
  }
}
