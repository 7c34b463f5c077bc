import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

/** Milliseconds after the first failure; twice as long after each further one, up to a limit. */
const firstPauseMs = 20_000
const longestPauseMs = 10 * 60_000

/**
 * So many may fail within an hour: whatever keeps a guest from moving is not overcome by trying,
 * and each try costs a pod. More are not kept either.
 */
const mostFailures = 5
const windowMs = 60 * 60_000

/**
 * Whether a migration can still be called off without the guest noticing: it has no place yet that
 * it was told to go to.
 */
export function isCancellable({ status }: VirtualMachineInstanceMigration): boolean {
  const phase = status?.phase ?? ''
  return phase === '' || phase === 'Pending' || phase === 'Scheduling' || phase === 'Scheduled'
}

/** How attempts to move a guest have gone so far. */
export interface Attempts {
  /**
   * Times of the failures since the last success, the oldest first, in milliseconds since the
   * epoch.
   */
  readonly failures: readonly number[]
  /** What the last one failed of. */
  readonly lastReason: string
}

/**
 * Reads from the migrations of one guest how attempts have gone. They are the only record: nothing
 * is remembered.
 */
export function summarizeAttempts(migrations: readonly VirtualMachineInstanceMigration[]): Attempts {
  const ended = migrations.filter(isMigrationFinal).map((migration) => ({ migration, at: endedAt(migration) }))
  let succeededAt = -Infinity
  for (const { migration, at } of ended) if (migration.status?.phase === 'Succeeded') succeededAt = Math.max(succeededAt, at)
  const failed = ended
    .filter(({ migration, at }) => migration.status?.phase === 'Failed' && at > succeededAt)
    .toSorted((a, b) => a.at - b.at)
  const lastReason = failed.at(-1)?.migration.status?.migrationState?.failureReason ?? ''
  return { failures: failed.map(({ at }) => at), lastReason }
}

/** When the next attempt may be made, in milliseconds since the epoch. */
export function nextAttemptAt({ failures }: Attempts): number {
  const last = failures.at(-1)
  if (last === undefined) return -Infinity
  const pause = Math.min(firstPauseMs * 2 ** (failures.length - 1), longestPauseMs)
  const oldest = failures.at(-mostFailures)
  return Math.max(last + pause, oldest === undefined ? -Infinity : oldest + windowMs)
}

/**
 * Read once: thousands that are over are looked at every few seconds, and do not change any more.
 */
const ends = new WeakMap<VirtualMachineInstanceMigration, number>()

/** When a migration that is over has ended, in milliseconds since the epoch. */
export function endedAt(migration: VirtualMachineInstanceMigration): number {
  return ends.get(migration) ?? remember(migration)
}

function remember(migration: VirtualMachineInstanceMigration): number {
  const { metadata, status } = migration
  const entered = status?.phaseTransitionTimestamps?.findLast(({ phase }) => phase === status.phase)?.phaseTransitionTimestamp
  const at = Date.parse(entered ?? metadata.creationTimestamp ?? '')
  ends.set(migration, at)
  return at
}
