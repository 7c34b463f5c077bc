import type { TaskContext } from '../../task.ts'

/** Milliseconds between two lines of progress. */
const intervalMs = 10_000

/** Makes a function that prints progress from time to time. */
export function createReporter(clock: TaskContext['clock'], log: TaskContext['log']): (text: () => string) => void {
  let next = clock.now() + intervalMs
  return (text) => {
    const now = clock.now()
    if (now < next) return
    next = now + intervalMs
    log(text())
  }
}

/** Formats a size. Pure. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
