import type { Clock } from './clock.ts'
import { Heap } from '../workqueue/heap.ts'

/** A clock that advances only on request, for tests and simulations. */
export interface VirtualClock extends Clock {
  /** Advances time, fires due timers in order and settles everything that they start in between. */
  advance(ms: number): Promise<void>
  /**
   * Advances from timer to timer until the condition holds. Resolves to false when `limitMs` has
   * passed or no timer is left.
   */
  runUntil(condition: () => boolean, limitMs: number): Promise<boolean>
  /** Settles promises without advancing time. */
  settle(): Promise<void>
  /** Number of pending timers. */
  readonly pending: number
}

interface Timer {
  readonly at: number
  readonly sequence: number
  readonly callback: () => void
}

/** Creates a clock at `startMs`. Default: 2026-01-01. */
export function createVirtualClock(startMs: number = Date.UTC(2026, 0, 1)): VirtualClock {
  return new SteppedClock(startMs)
}

class SteppedClock implements VirtualClock {
  #now: number
  #sequence = 0
  readonly #timers = new Set<Timer>()
  /**
   * The same timers in the order in which they fall due, with some that were disposed of: those are
   * skipped when they surface.
   */
  readonly #line = new Heap<Timer>((a, b) => a.at - b.at || a.sequence - b.sequence)

  constructor(startMs: number) {
    this.#now = startMs
  }

  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): Disposable {
    const timer: Timer = { at: this.#now + Math.max(0, ms), sequence: this.#sequence++, callback }
    this.#timers.add(timer)
    this.#line.push(timer)
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) }
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const onAbort = (): void => {
        timer[Symbol.dispose]()
        reject(signal?.reason)
      }
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await this.settle()
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) await this.#fire(next)
    this.#now = end
    await this.settle()
  }

  async runUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs
    await this.settle()
    while (!condition()) {
      const next = this.#next()
      if (next === undefined || next.at > end) return false
      await this.#fire(next)
    }
    return true
  }

  /**
   * Two turns of the event loop: promise chains end within the first, and their tasks within the
   * second.
   */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer)
    this.#now = Math.max(this.#now, timer.at)
    timer.callback()
    await this.settle()
  }

  #next(): Timer | undefined {
    for (let first = this.#line.peek(); first !== undefined; first = this.#line.peek()) {
      if (this.#timers.has(first)) return first
      this.#line.pop()
    }
    return undefined
  }
}
