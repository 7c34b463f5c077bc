import type { RetentionLimits } from './journal/retention.ts'
import type { RingLimits } from './history/change-ring.ts'

/** Options of {@link openObjectStore}. */
export interface ObjectStoreOptions {
  /**
   * Database file. Its directory is created when missing; `-wal`, `-shm` and `.lock` appear next to
   * it.
   */
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Calls back once after `ms`; dispose to cancel. Must not keep the process alive. Default:
   * setTimeout.
   */
  readonly after?: (ms: number, callback: () => void) => Disposable
  /**
   * FULL (default): a write is on the disk before it is acknowledged. NORMAL, for tests: a loss of
   * power may lose the last writes, but the store stays consistent and revisions are not reused.
   */
  readonly synchronous?: 'FULL' | 'NORMAL'
  /** Called when writes begin to fail, and with undefined when they work again. */
  readonly onFailure?: (failure: Error | undefined) => void
  /**
   * Called with errors that must not stop the store: exceptions of listeners and index functions,
   * failed checkpoints. Default: uncaught exception.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Identifies the boot of this machine, as writes before a reboot may be lost. Default: Linux's
   * boot_id.
   */
  readonly bootId?: string | undefined
  /**
   * Milliseconds that a commit waits for another program's lock on the file, which blocks the event
   * loop. Default 2000.
   */
  readonly busyTimeoutMs?: number
  /** Default: 5 minutes, at least 10,000 changes, but at most 64 MiB of replaced states. */
  readonly retention?: RetentionLimits
  /** Default: 5 minutes, 100,000 changes, 32 MiB. */
  readonly ring?: RingLimits
  /**
   * Resources that are written continuously; the log keeps one earlier state of each object.
   * Default: leases and events.
   */
  readonly shortHistory?: readonly string[]
  /**
   * Milliseconds after its last write at which an object is deleted, by resource. Default: events,
   * 1 hour.
   */
  readonly ttlMs?: Readonly<Record<string, number>>
}

/** Default values. */
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
