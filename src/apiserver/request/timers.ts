/** Timers as a dependency, for tests. */
export interface Timers {
  /** Calls back once after `ms`; dispose to cancel. Must not keep the process alive. */
  after(ms: number, callback: () => void): Disposable
}

/** The process's timers. */
export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
}
