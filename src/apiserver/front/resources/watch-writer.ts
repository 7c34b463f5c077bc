import type { AnswerStream } from '#apiserver/http/exchange.ts'

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

/** Makes the hub. `everyMs` is how often backlogs are looked at. */
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

/** What watchers share. */
class Hub {
  readonly now: () => number
  readonly watchers = new Set<Watcher>()
  #pending: Watcher[] = []

  constructor(now: () => number) {
    this.now = now
  }

  /** Has the watcher write its lines at the end of this turn of the event loop. */
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

/**
 * One watch. A class with few fields rather than closures: ten thousand of these wait most of the
 * time.
 */
class Watcher implements WatchWriter {
  readonly #hub: Hub
  readonly #stream: AnswerStream
  readonly #onDrop: () => void
  /** Pending lines; the empty list is shared by all that have none. */
  #lines = noLines
  #writtenBytes = 0
  /**
   * The first burst is the state at the start. It may be any size; only what comes on top of it
   * counts as lag.
   */
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

  /** Looks at its backlog. @returns whether it must go */
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
