import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Attempts } from './attempts.ts'

/** Reason why a guest does not leave its node. */
export interface Obstacle {
  readonly reason: 'NotMigratable' | 'NoTarget' | 'MigrationFails'
  readonly message: string
}

/** A single failure is not reported: the next attempt follows soon. */
const fewestFailures = 2

/** The guest must not be shut down and cannot be migrated. */
export function notMigratable({ status }: VirtualMachineInstance): Obstacle {
  const { reason, message } = findCondition(status?.conditions, 'LiveMigratable') ?? {}
  const why = reason === undefined ? 'its node agent has not reported LiveMigratable yet' : `${reason}${message ? `: ${message}` : ''}`
  return {
    reason: 'NotMigratable',
    message: `The guest must not be shut down by an eviction and cannot be migrated (${why}): make it migratable, set another evictionStrategy, or stop its VM`,
  }
}

/** No other node is eligible. */
export function noTarget(): Obstacle {
  return {
    reason: 'NoTarget',
    message: 'No other schedulable node has the labels that the guest requires and a node agent at least as new as its launcher',
  }
}

/** Attempts keep failing. Undefined below the number of failures that is reported. */
export function repeatedFailures({ failures, lastReason }: Attempts, nextAtMs: number): Obstacle | undefined {
  if (failures.length < fewestFailures) return undefined
  const why = lastReason === '' ? '' : `, the last because ${lastReason}`
  const next = new Date(nextAtMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
  return {
    reason: 'MigrationFails',
    message: `${failures.length} consecutive migrations have failed${why}; the next attempt is made after ${next}`,
  }
}
