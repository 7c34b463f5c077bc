/** What a queue reports. All calls are cheap and never throw. */
export interface WorkqueueMetrics {
  added(): void
  retried(): void
  depth(items: number): void
  /** Milliseconds between being ready and being taken. */
  waited(ms: number): void
  /** Milliseconds between being taken and being done. */
  worked(ms: number): void
}
