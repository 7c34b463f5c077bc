import type { RetentionLimits } from './journal/retention.ts'
import type { RingLimits } from './history/change-ring.ts'

/** How to open a store. */
export interface ObjectStoreOptions {
  /**
   * Database file. Its directory is created when missing; `-wal`, `-shm` and `.lock` appear next to
   * it.
   */
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Calls back once after `ms`; dispose to cancel. Must not keep the process alive. Default: a
   * timer.
   */
  readonly after?: (ms: number, callback: () => void) => Disposable
  /**
   * FULL (default): a write is on the disk before it is acknowledged. NORMAL: a loss of power may
   * take the last moments with it, for tests; the store stays whole and revisions are not reused
   * even then.
   */
  readonly synchronous?: 'FULL' | 'NORMAL'
  /** Told when writes begin to fail, and (undefined) when they work again. */
  readonly onFailure?: (failure: Error | undefined) => void
  /**
   * Told what must not stop the store: exceptions of listeners and index functions, failed
   * checkpoints. Default: uncaught exception.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Names the boot of this machine: what was written before it may be lost. Default: Linux's
   * boot_id.
   */
  readonly bootId?: string | undefined
  /**
   * How long a commit waits for another program's lock on the file, which stops the event loop.
   * Default 2000.
   */
  readonly busyTimeoutMs?: number
  /** Default: 5 minutes, at least 10,000 changes, but at most 64 MiB of replaced states. */
  readonly retention?: RetentionLimits
  /** Default: 5 minutes, 100,000 changes, 32 MiB. */
  readonly ring?: RingLimits
  /**
   * Resources written all the time, of which the log keeps one earlier state only. Default: leases
   * and events.
   */
  readonly shortHistory?: readonly string[]
  /**
   * Milliseconds after its last write at which an object is deleted, by resource. Default: events,
   * 1 hour.
   */
  readonly ttlMs?: Readonly<Record<string, number>>
}

/** Values of the options that have one. */
export const defaultOptions: {
  readonly retention: RetentionLimits
  readonly ring: RingLimits
  readonly shortHistory: readonly string[]
  readonly ttlMs: Readonly<Record<string, number>>
} = {
  retention: { changes: 10_000, ageMs: 5 * 60_000, bytes: 64 << 20 },
  ring: { changes: 100_000, ageMs: 5 * 60_000, bytes: 32 << 20 },
  shortHistory: ['coordination.k8s.io/leases', '/events', 'events.k8s.io/events'],
  ttlMs: { '/events': 3_600_000, 'events.k8s.io/events': 3_600_000 },
}
