import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { summarizeAttempts, endedAt } from '#features/evacuation/index.ts'
import type { ClassRecord } from '../guests/facts.ts'
import { isBeforeResume, targetImageOf } from '../guests/read-guest.ts'
import { updateNames } from '../names.ts'

/** Counts of a class's migrations; only the last success and all failures are kept. */
interface Tally {
  successes: number
  inFlight: number
  lastSuccess: VirtualMachineInstanceMigration | undefined
  readonly failed: VirtualMachineInstanceMigration[]
}

/**
 * Returns the record of each class from existing migrations to an image. Migrations before
 * `resumedAt`, in milliseconds since the epoch, do not count.
 */
export function classRecords(
  migrations: readonly VirtualMachineInstanceMigration[],
  image: string,
  resumedAt: number,
): ReadonlyMap<string, ClassRecord> {
  const tallies = new Map<string, Tally>()
  for (const migration of migrations) {
    if (targetImageOf(migration) !== image || isBeforeResume(migration, resumedAt)) continue
    const name = migration.metadata.annotations?.[updateNames.classAnnotation] ?? ''
    const tally = tallies.getOrInsertComputed(name, () => ({ successes: 0, inFlight: 0, lastSuccess: undefined, failed: [] }))
    count(tally, migration)
  }
  return new Map([...tallies].map(([name, tally]) => [name, recordOf(tally)]))
}

function count(tally: Tally, migration: VirtualMachineInstanceMigration): void {
  if (!isMigrationFinal(migration)) {
    tally.inFlight++
    return
  }
  if (migration.status?.phase === 'Failed') {
    tally.failed.push(migration)
    return
  }
  tally.successes++
  if (tally.lastSuccess === undefined || endedAt(migration) > endedAt(tally.lastSuccess)) tally.lastSuccess = migration
}

function recordOf({ successes, inFlight, lastSuccess, failed }: Tally): ClassRecord {
  const { failures, lastReason } = summarizeAttempts(lastSuccess === undefined ? failed : [lastSuccess, ...failed])
  return { successes, failures: failures.length, lastReason, inFlight }
}
