import type { AnswerStream } from '#apiserver/http/exchange.ts'

/** Unread bytes at which a watcher is dropped. Its client lists and watches again. */
const backlogLimitBytes = 4 * 1024 * 1024
/** Time without progress at which a watcher is dropped. */
const stallLimitMs = 5_000

/** Sends the events of one watch, all of an event-loop turn in one write. */
export interface WatchWriter {
  push(line: Buffer): void
  /** Writes pending lines, then ends the answer. */
  end(): void
}

/** All running watches. Drops those whose clients are too slow. */
export interface WatchHub extends Disposable {
  readonly size: number
  /** @param onDrop called when the watcher was dropped */
  open(stream: AnswerStream, onDrop: () => void): WatchWriter
}

/** @param everyMs interval at which backlogs are checked */
export function createWatchHub(now: () => number, everyMs: number = 1000): WatchHub {
  const hub = new Hub(now)
  const guard = setInterval(() => hub.dropSlow(), everyMs)
  guard.unref()
  return {
    get size() {
      return hub.watchers.size
    },
    open(stream, onDrop) {
      const watcher = new Watcher(hub, stream, onDrop)
      hub.watchers.add(watcher)
      return watcher
    },
    [Symbol.dispose]() {
      clearInterval(guard)
    },
  }
}

/** State shared by watchers. */
class Hub {
  readonly now: () => number
  readonly watchers = new Set<Watcher>()
  #pending: Watcher[] = []

  constructor(now: () => number) {
    this.now = now
  }

  /** Writes the watcher's lines at the end of this event-loop turn. */
  schedule(watcher: Watcher): void {
    if (this.#pending.length === 0) setImmediate(() => this.#flushAll())
    this.#pending.push(watcher)
  }

  dropSlow(): void {
    const nowMs = this.now()
    for (const watcher of this.watchers) if (watcher.isTooSlow(nowMs)) watcher.drop()
  }

  #flushAll(): void {
    const batch = this.#pending
    this.#pending = []
    for (const watcher of batch) watcher.flush()
  }
}

const noLines: readonly Buffer[] = []

/** One watch. A class with few fields instead of closures, as ten thousand of them are idle. */
class Watcher implements WatchWriter {
  readonly #hub: Hub
  readonly #stream: AnswerStream
  readonly #onDrop: () => void
  /** Pending lines. The empty list is shared. */
  #lines = noLines
  #writtenBytes = 0
  /** Size of the first burst, the initial state, which does not count as backlog. */
  #initialBytes: number | undefined
  #takenBytes = 0
  #lastProgressMs: number

  constructor(hub: Hub, stream: AnswerStream, onDrop: () => void) {
    this.#hub = hub
    this.#stream = stream
    this.#onDrop = onDrop
    this.#lastProgressMs = hub.now()
  }

  push(line: Buffer): void {
    if (!this.#hub.watchers.has(this)) return
    if (this.#lines.length > 0) return void (this.#lines as Buffer[]).push(line)
    this.#lines = [line]
    this.#hub.schedule(this)
  }

  end(): void {
    if (!this.#hub.watchers.delete(this)) return
    this.flush()
    this.#stream.end()
  }

  flush(): void {
    const lines = this.#lines
    this.#lines = noLines
    const chunk = lines.length === 1 && lines[0] !== undefined ? lines[0] : Buffer.concat(lines)
    if (chunk.length === 0) return
    const stream = this.#stream
    if (stream.pendingBytes === 0) this.#lastProgressMs = this.#hub.now()
    stream.write(chunk)
    this.#writtenBytes += chunk.length
    this.#initialBytes ??= chunk.length
    const taken = this.#writtenBytes - stream.pendingBytes
    if (stream.pendingBytes > backlogLimitBytes + Math.max(0, this.#initialBytes - taken)) this.drop()
  }

  /** Reports whether the watcher must be dropped. */
  isTooSlow(nowMs: number): boolean {
    const { pendingBytes } = this.#stream
    const taken = this.#writtenBytes - pendingBytes
    if (pendingBytes === 0 || taken > this.#takenBytes) this.#lastProgressMs = nowMs
    this.#takenBytes = taken
    return nowMs - this.#lastProgressMs > stallLimitMs
  }

  drop(): void {
    if (!this.#hub.watchers.delete(this)) return
    this.#lines = noLines
    this.#stream.abort()
    this.#onDrop()
  }
}
