/** Metrics of a queue. All calls are cheap and never throw. */
export interface WorkqueueMetrics {
  added(): void
  retried(): void
  depth(items: number): void
  /** Milliseconds between ready and taken. */
  waited(ms: number): void
  /** Milliseconds between taken and done. */
  worked(ms: number): void
}
