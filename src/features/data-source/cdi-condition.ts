import type { CdiCondition } from '#api/cdi/v1beta1/cdi-condition.ts'
import { findCondition } from '#apimachinery/conditions.ts'

/**
 * Returns a condition of CDI with its times. The time of a heartbeat only moves with the condition:
 * it is not worth a write of its own. Pure.
 */
export function cdiCondition(
  old: readonly CdiCondition[] | undefined,
  { type, status, reason = '', message = '' }: Omit<CdiCondition, 'lastTransitionTime' | 'lastHeartbeatTime'>,
  now: string,
): CdiCondition {
  const before = findCondition(old, type)
  const isSame = before?.status === status && (before.reason ?? '') === reason && (before.message ?? '') === message
  if (isSame) return before
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now
  return { type, status, reason, message, lastTransitionTime, lastHeartbeatTime: now }
}
