import type { Timers } from '#apiserver/request/timers.ts'

/** Callback of one watcher. */
export interface WatchTick {
  /** Called about once a second with the time in milliseconds since the epoch. */
  tick(nowMs: number): void
}

const periodMs = 1000

/**
 * Runs one timer for all watchers, as ten thousand timers for idle watches would cost too much.
 * Stops while there are no watchers.
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
