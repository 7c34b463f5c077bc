import type { AnswerStream } from './exchange.ts'

/** Bytes that a watcher may leave unread before it is dropped; it can list and watch again. */
const backlogLimitBytes = 4 * 1024 * 1024
/** How long a watcher may take nothing at all. */
const stallLimitMs = 5_000

/** Sends the events of one watch: all of one turn of the event loop in one write. */
export interface WatchWriter {
  push(line: Buffer): void
  /** Writes what is pending, then ends the answer. */
  end(): void
}

/** All running watches, and the guard that drops those whose clients do not keep up. */
export interface WatchHub extends Disposable {
  readonly size: number
  /** @param onDrop called when the watcher was too slow and has been cut off */
  open(stream: AnswerStream, onDrop: () => void): WatchWriter
}

interface Watcher {
  /** Looks at its backlog. @returns whether it must go */
  isTooSlow(nowMs: number): boolean
  flush(): void
  drop(): void
}

/** Makes the hub. `everyMs` is how often backlogs are looked at. */
export function createWatchHub(now: () => number, everyMs: number = 1000): WatchHub {
  const watchers = new Set<Watcher>()
  let pending: Watcher[] = []

  const flushAll = (): void => {
    const batch = pending
    pending = []
    for (const watcher of batch) watcher.flush()
  }
  const guard = setInterval(() => {
    const nowMs = now()
    for (const watcher of watchers) if (watcher.isTooSlow(nowMs)) watcher.drop()
  }, everyMs)
  guard.unref()

  return {
    get size() {
      return watchers.size
    },
    open(stream, onDrop) {
      let lines: Buffer[] = []
      let writtenBytes = 0
      // The first burst is the state at the start. It may be any size; only what comes on top of it counts as lag.
      let initialBytes: number | undefined
      let takenBytes = 0
      let lastProgressMs = now()

      const watcher: Watcher = {
        flush() {
          const chunk = lines.length === 1 && lines[0] !== undefined ? lines[0] : Buffer.concat(lines)
          lines = []
          if (chunk.length === 0) return
          if (stream.pendingBytes === 0) lastProgressMs = now()
          stream.write(chunk)
          writtenBytes += chunk.length
          initialBytes ??= chunk.length
          const taken = writtenBytes - stream.pendingBytes
          if (stream.pendingBytes > backlogLimitBytes + Math.max(0, initialBytes - taken)) watcher.drop()
        },
        isTooSlow(nowMs) {
          const taken = writtenBytes - stream.pendingBytes
          if (stream.pendingBytes === 0 || taken > takenBytes) lastProgressMs = nowMs
          takenBytes = taken
          return nowMs - lastProgressMs > stallLimitMs
        },
        drop() {
          if (!watchers.delete(watcher)) return
          lines = []
          stream.abort()
          onDrop()
        },
      }
      watchers.add(watcher)

      return {
        push(line) {
          if (!watchers.has(watcher)) return
          if (lines.length === 0) {
            if (pending.length === 0) setImmediate(flushAll)
            pending.push(watcher)
          }
          lines.push(line)
        },
        end() {
          if (!watchers.delete(watcher)) return
          watcher.flush()
          stream.end()
        },
      }
    },
    [Symbol.dispose]() {
      clearInterval(guard)
    },
  }
}
