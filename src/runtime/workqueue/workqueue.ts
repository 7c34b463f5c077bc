import type { Clock } from '../clock/clock.ts'
import { Heap } from './heap.ts'
import { createRateLimiter } from './rate-limiter.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { WorkqueueMetrics } from './workqueue-metrics.ts'

/** Options of an added item. */
export interface AddOptions {
  /** Milliseconds from now. Default 0. */
  readonly afterMs?: number
  /**
   * Higher priorities come first; equal ones in the order in which they became ready. Default 0.
   */
  readonly priority?: number
}

/**
 * A queue of keys. A key is in it at most once, however often it is added, and is never given to
 * two workers at once: a key that is added while a worker processes it returns after that worker is
 * done.
 */
export interface Workqueue<K> {
  /** If the item already waits, the earlier time and the higher priority win. */
  add(item: K, options?: AddOptions): void
  /** Adds after a failure: later each time, until {@link forget}. */
  addRateLimited(item: K, options?: Pick<AddOptions, 'priority'>): void
  forget(item: K): void
  /** Failures since the item was last forgotten. */
  failures(item: K): number
  /**
   * Waits for the next item; the worker must call {@link done}. Undefined once the queue is shut
   * down.
   */
  take(): Promise<K | undefined>
  done(item: K): void
  /** Wakes all workers and drops delayed items. */
  shutDown(): void
  /** Number of ready items. */
  readonly depth: number
}

/** Dependencies and options of a queue. */
export interface WorkqueueOptions<K> {
  readonly clock: Clock
  /** Two items with the same key are the same. Default: `String(item)`. */
  readonly keyOf?: (item: K) => string
  readonly rateLimiter?: RateLimiter
  readonly metrics?: WorkqueueMetrics
}

/** Creates an empty queue. */
export function createWorkqueue<K>(options: WorkqueueOptions<K>): Workqueue<K> {
  return new PriorityWorkqueue(options)
}

/**
 * A queued item. `delayed`: its timer runs. `due`: it is ready for a worker, or waits until the
 * worker that processes it is done. Timers decide, not the time of day, which may be set back.
 */
interface Waiting<K> {
  readonly item: K
  readonly key: string
  readonly sequence: number
  readonly priority: number
  /**
   * Milliseconds since the epoch; only to compare with other wishes for the same item, and for
   * metrics.
   */
  readonly readyAt: number
  readonly timer: Disposable | undefined
}

/** Platform timers overflow beyond 24.8 days. Such an item comes early, which is harmless. */
const longestTimerMs = 2 ** 31 - 1

class PriorityWorkqueue<K> implements Workqueue<K> {
  readonly #clock: Clock
  readonly #keyOf: (item: K) => string
  readonly #limiter: RateLimiter
  readonly #metrics: WorkqueueMetrics | undefined
  /** All queued items. */
  readonly #waiting = new Map<string, Waiting<K>>()
  /**
   * The line before the workers. May hold outdated entries, which are skipped when they surface.
   */
  readonly #line = new Heap<Waiting<K>>((a, b) => b.priority - a.priority || a.sequence - b.sequence)
  /** Keys in the hands of a worker, with the time of taking. */
  readonly #processing = new Map<string, number>()
  readonly #takers: ((item: K | undefined) => void)[] = []
  #depth = 0
  #sequence = 0
  #closed = false

  constructor(options: WorkqueueOptions<K>) {
    this.#clock = options.clock
    this.#keyOf = options.keyOf ?? String
    this.#limiter = options.rateLimiter ?? createRateLimiter(options.clock)
    this.#metrics = options.metrics
    this.#metrics?.unfinished(() => {
      const now = this.#clock.now()
      return [...this.#processing.values()].map((since) => Math.max(0, now - since))
    })
  }

  get depth(): number {
    return this.#depth
  }

  add(item: K, options: AddOptions = {}): void {
    if (this.#closed) return
    const key = this.#keyOf(item)
    const delayMs = Math.max(0, options.afterMs ?? 0)
    const wish = { item, key, priority: options.priority ?? 0, readyAt: this.#clock.now() + delayMs }
    const old = this.#waiting.get(key)
    if (old === undefined) this.#wait(wish, this.#sequence++, delayMs)
    else this.#merge(old, wish, delayMs)
  }

  addRateLimited(item: K, options: Pick<AddOptions, 'priority'> = {}): void {
    this.#metrics?.retried()
    this.add(item, { ...options, afterMs: this.#limiter.delayMs(this.#keyOf(item)) })
  }

  forget(item: K): void {
    this.#limiter.forget(this.#keyOf(item))
  }

  failures(item: K): number {
    return this.#limiter.failures(this.#keyOf(item))
  }

  take(): Promise<K | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#takers.push(resolve)
      this.#dispatch()
    })
  }

  done(item: K): void {
    const key = this.#keyOf(item)
    const since = this.#processing.get(key)
    if (since === undefined) return
    this.#processing.delete(key)
    this.#metrics?.worked(this.#clock.now() - since)
    const again = this.#waiting.get(key)
    if (again !== undefined && again.timer === undefined) this.#lineUp(again)
    this.#dispatch()
  }

  shutDown(): void {
    this.#closed = true
    for (const waiting of this.#waiting.values()) waiting.timer?.[Symbol.dispose]()
    this.#waiting.clear()
    this.#setDepth(0)
    for (const taker of this.#takers.splice(0)) taker(undefined)
  }

  /** The earlier time and the higher priority win; a ready item keeps its place among equals. */
  #merge(old: Waiting<K>, wish: Omit<Waiting<K>, 'sequence' | 'timer'>, delayMs: number): void {
    const priority = Math.max(old.priority, wish.priority)
    const sooner = old.timer !== undefined && (delayMs === 0 || wish.readyAt < old.readyAt)
    if (!sooner && priority === old.priority) return
    if (sooner) {
      old.timer?.[Symbol.dispose]()
      this.#wait({ ...wish, priority }, this.#sequence++, delayMs)
    } else if (old.timer === undefined) {
      const raised = { ...old, priority }
      this.#waiting.set(old.key, raised)
      if (!this.#processing.has(old.key)) this.#line.push(raised)
    } else {
      old.timer[Symbol.dispose]()
      this.#wait({ ...old, priority }, old.sequence, old.readyAt - this.#clock.now())
    }
  }

  #wait(wish: Omit<Waiting<K>, 'sequence' | 'timer'>, sequence: number, delayMs: number): void {
    this.#metrics?.added()
    if (delayMs <= 0) return this.#becomeDue({ ...wish, sequence, timer: undefined })
    const timer = this.#clock.after(Math.min(delayMs, longestTimerMs), () =>
      // Ready from now on, behind items that became ready before.
      this.#becomeDue({ ...wish, sequence: this.#sequence++, timer: undefined }),
    )
    this.#waiting.set(wish.key, { ...wish, sequence, timer })
  }

  #becomeDue(waiting: Waiting<K>): void {
    this.#waiting.set(waiting.key, waiting)
    if (this.#processing.has(waiting.key)) return
    this.#lineUp(waiting)
    this.#dispatch()
  }

  #lineUp(waiting: Waiting<K>): void {
    this.#line.push(waiting)
    this.#setDepth(this.#depth + 1)
  }

  #dispatch(): void {
    while (this.#takers.length > 0) {
      const next = this.#popLine()
      if (next === undefined) return
      const now = this.#clock.now()
      this.#processing.set(next.key, now)
      this.#setDepth(this.#depth - 1)
      this.#metrics?.waited(Math.max(0, now - next.readyAt))
      this.#takers.shift()?.(next.item)
    }
  }

  #popLine(): Waiting<K> | undefined {
    for (let next = this.#line.pop(); next !== undefined; next = this.#line.pop()) {
      if (this.#waiting.get(next.key) !== next) continue
      this.#waiting.delete(next.key)
      return next
    }
    return undefined
  }

  #setDepth(depth: number): void {
    this.#depth = depth
    this.#metrics?.depth(depth)
  }
}
