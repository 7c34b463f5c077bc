import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Attempts } from './attempts.ts'

/** Why a guest does not leave its node. */
export interface Obstacle {
  readonly reason: 'NotMigratable' | 'NoTarget' | 'MigrationFails'
  readonly message: string
}

/** A single failure is not reported: the next attempt follows soon. */
const fewestFailures = 2

/** The guest must not be shut down and cannot be migrated. */
export function notMigratable({ status }: VirtualMachineInstance): Obstacle {
  const { reason, message } = findCondition(status?.conditions, 'LiveMigratable') ?? {}
  const why = reason === undefined ? 'its node agent has not said yet that it can' : `${reason}${message ? `: ${message}` : ''}`
  return {
    reason: 'NotMigratable',
    message: `The guest must not be stopped by an eviction and cannot be moved (${why}): make it migratable, give it another evictionStrategy, or stop its VM`,
  }
}

/** No other node is eligible. */
export function noTarget(): Obstacle {
  return {
    reason: 'NoTarget',
    message:
      'No other node that is open for guests has the labels that this one asks for, and an agent that is not older than its launcher',
  }
}

/** Attempts keep failing. Undefined below the number of failures that is reported. */
export function repeatedFailures({ failures, lastReason }: Attempts, nextAtMs: number): Obstacle | undefined {
  if (failures.length < fewestFailures) return undefined
  const why = lastReason === '' ? '' : `, the last because ${lastReason}`
  const next = new Date(nextAtMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
  return { reason: 'MigrationFails', message: `${failures.length} migrations in a row have failed${why}; the next may begin at ${next}` }
}
