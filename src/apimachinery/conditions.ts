import { deepEqual } from './equality.ts'

/** Fields that all conditions have in common. */
export interface ConditionShape {
  type: string
  status: string
  lastTransitionTime?: string | null
}

/** The condition of the given type, or undefined. */
export function findCondition<C extends ConditionShape>(list: readonly C[] | null | undefined, type: string): C | undefined {
  return list?.find((condition) => condition.type === type)
}

/** Reports whether the condition of the given type is present and `True`. */
export function isTrue(list: readonly ConditionShape[] | null | undefined, type: string): boolean {
  return findCondition(list, type)?.status === 'True'
}

/**
 * Returns the list with the condition added, or replaced by type. `lastTransitionTime` is `now`
 * (RFC 3339, second precision) when the status changes, and the old time otherwise; the one in
 * `condition` is used only for a new condition. Returns the same list when nothing changes, so that
 * callers can skip a write. The result shares structure with the argument: do not mutate it.
 */
export function setCondition<C extends ConditionShape>(list: readonly C[] | null | undefined, condition: C, now: string): C[] {
  const conditions = list ?? []
  const index = conditions.findIndex((old) => old.type === condition.type)
  const old = conditions[index]
  if (old === undefined) return [...conditions, { ...condition, lastTransitionTime: condition.lastTransitionTime ?? now }]
  const lastTransitionTime = old.status === condition.status ? old.lastTransitionTime : now
  const next: C = { ...condition, lastTransitionTime: lastTransitionTime ?? now }
  return deepEqual(old, next) ? (conditions as C[]) : conditions.with(index, next)
}

/** The list without the condition of the given type; the very same list when it has none. */
export function removeCondition<C extends ConditionShape>(list: readonly C[] | null | undefined, type: string): C[] {
  const conditions = list ?? []
  const kept = conditions.filter((condition) => condition.type !== type)
  return kept.length === conditions.length ? (conditions as C[]) : kept
}
