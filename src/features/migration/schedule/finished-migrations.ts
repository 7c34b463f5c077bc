import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

/** Final migrations that are kept for each guest. */
const mostKept = 5

const firstPauseMs = 20_000
/** KubeVirt has no upper limit, and waits for weeks after a day of failures. */
const longestPauseMs = 30 * 60_000

/** Annotations of migrations that a controller has created. */
const automatic = ['kubevirt.io/evacuationMigration', 'kubevirt.io/workloadUpdateMigration'] as const

/** Returns a guest's oldest final migrations beyond those that are kept. */
export function excessMigrations(ofGuest: readonly VirtualMachineInstanceMigration[]): VirtualMachineInstanceMigration[] {
  return ofGuest.filter(isMigrationFinal).toSorted(newestFirst).slice(mostKept)
}

/**
 * Returns the milliseconds until the system may migrate a guest again: longer with each consecutive
 * failure among the migrations that are kept. Migrations of users are never delayed.
 */
export function backoffLeftMs(
  own: VirtualMachineInstanceMigration,
  ofGuest: readonly VirtualMachineInstanceMigration[],
  nowMs: number,
): number {
  if (!isAutomatic(own)) return 0
  const past = ofGuest.filter((each) => isMigrationFinal(each) && isAutomatic(each)).toSorted(newestFirst)
  const succeeded = past.findIndex(({ status }) => status?.phase === 'Succeeded')
  const failures = succeeded === -1 ? past : past.slice(0, succeeded)
  const [last] = failures
  if (last === undefined) return 0
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures.length - 1))
  return Math.max(0, Date.parse(last.status?.migrationState?.endTimestamp ?? '') + pauseMs - nowMs) || 0
}

function isAutomatic({ metadata }: VirtualMachineInstanceMigration): boolean {
  return automatic.some((annotation) => metadata.annotations?.[annotation] !== undefined)
}

function newestFirst(one: VirtualMachineInstanceMigration, other: VirtualMachineInstanceMigration): number {
  const [a, b] = [one, other].map(({ metadata }) => `${metadata.creationTimestamp ?? ''}/${metadata.name ?? ''}`)
  return (a ?? '') < (b ?? '') ? 1 : -1
}
