import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

/** Milliseconds after the first failure; doubles with each further one, up to the limit. */
const firstPauseMs = 20_000
const longestPauseMs = 10 * 60_000

/**
 * Failures allowed within an hour: retrying does not remove the cause, and each attempt costs a
 * pod. Only as many final migrations are kept.
 */
const mostFailures = 5
const windowMs = 60 * 60_000

/**
 * Reports whether a migration can be cancelled before the guest is affected: it has not been handed
 * over to the node agents.
 */
export function isCancellable({ status }: VirtualMachineInstanceMigration): boolean {
  const phase = status?.phase ?? ''
  return phase === '' || phase === 'Pending' || phase === 'Scheduling' || phase === 'Scheduled'
}

/** Outcome of earlier attempts to migrate a guest. */
export interface Attempts {
  /**
   * Times of the failures since the last success, oldest first, in milliseconds since the epoch.
   */
  readonly failures: readonly number[]
  /** Reason of the last failure. */
  readonly lastReason: string
}

/** Summarizes the migrations of one guest, which are the only record of attempts. */
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

/** Returns the earliest time of the next attempt, in milliseconds since the epoch. */
export function nextAttemptAt({ failures }: Attempts): number {
  const last = failures.at(-1)
  if (last === undefined) return -Infinity
  const pause = Math.min(firstPauseMs * 2 ** (failures.length - 1), longestPauseMs)
  const oldest = failures.at(-mostFailures)
  return Math.max(last + pause, oldest === undefined ? -Infinity : oldest + windowMs)
}

/** Memoized: thousands of final migrations, which never change, are read every few seconds. */
const ends = new WeakMap<VirtualMachineInstanceMigration, number>()

/** Returns when a final migration ended, in milliseconds since the epoch. */
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
