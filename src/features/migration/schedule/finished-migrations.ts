import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

/** So many migrations that are over are kept for each guest. */
const mostKept = 5

const firstPauseMs = 20_000
/** KubeVirt has no limit, and after a day of failures waits for weeks. */
const longestPauseMs = 30 * 60_000

/** Annotations of migrations that nobody has asked for by hand. */
const automatic = ['kubevirt.io/evacuationMigration', 'kubevirt.io/workloadUpdateMigration'] as const

/** The oldest of a guest's migrations that are over, beyond those that are kept. */
export function excessMigrations(ofGuest: readonly VirtualMachineInstanceMigration[]): VirtualMachineInstanceMigration[] {
  return ofGuest.filter(isMigrationFinal).toSorted(newestFirst).slice(mostKept)
}

/**
 * Milliseconds for which the system leaves a guest alone that it could not move: longer with each
 * failure in a row, counted among those that are kept. What a user asks for is never put off.
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
