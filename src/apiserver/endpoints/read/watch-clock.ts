import type { Timers } from '#apiserver/request/timers.ts'

/** One watcher's share of the clock. */
export interface WatchTick {
  /** Called about once a second with the time in milliseconds since the epoch. */
  tick(nowMs: number): void
}

const periodMs = 1000

/**
 * One timer for all watchers: ten thousand idle ones must cost one timer, not ten thousand. It runs
 * only while somebody watches.
 */
export class WatchClock {
  readonly #timers: Timers
  readonly #now: () => number
  readonly #watchers = new Set<WatchTick>()
  #pending: Disposable | undefined

  constructor(timers: Timers, now: () => number) {
    this.#timers = timers
    this.#now = now
  }

  add(watcher: WatchTick): Disposable {
    this.#watchers.add(watcher)
    this.#arm()
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher)
        if (this.#watchers.size > 0) return
        this.#pending?.[Symbol.dispose]()
        this.#pending = undefined
      },
    }
  }

  #arm(): void {
    this.#pending ??= this.#timers.after(periodMs, () => {
      this.#pending = undefined
      const now = this.#now()
      for (const watcher of this.#watchers) watcher.tick(now)
      if (this.#watchers.size > 0) this.#arm()
    })
  }
}
