/** Metrics of a queue. All calls are cheap and never throw. */
export interface WorkqueueMetrics {
  added(): void
  retried(): void
  depth(items: number): void
  /** Milliseconds between ready and taken. */
  waited(ms: number): void
  /** Milliseconds between taken and done. */
  worked(ms: number): void
  /**
   * Called once, with the function that returns for how many milliseconds each item has been in the
   * hands of a worker.
   */
  unfinished(ages: () => readonly number[]): void
}
