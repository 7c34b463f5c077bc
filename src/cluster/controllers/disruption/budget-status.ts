import { setCondition } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '#api/policy/v1/pod-disruption-budget.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { timestamp } from '#runtime/clock/clock.ts'

/**
 * An eviction that was allowed must show in the pod within this time (milliseconds); then it is
 * taken for failed.
 */
const deletionTimeoutMs = 120_000

/** Input of {@link decideBudget}. */
export interface Observation {
  /** Pods that the selector chooses. */
  readonly pods: readonly Pod[]
  /**
   * Number of pods that their controllers want, or the error that hides it. Undefined: the budget
   * does not depend on it.
   */
  readonly expected: number | Error | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The state of a budget, and when it changes by itself. */
export interface BudgetDecision {
  readonly status: PodDisruptionBudgetStatus
  /** Milliseconds since the epoch. */
  readonly recheckAt: number | undefined
  /** Pods whose eviction was allowed and that did not go. */
  readonly undead: readonly Pod[]
}

/**
 * Computes the status of a budget: how many pods are healthy, how many must be, and how many may
 * go. Pure.
 */
export function decideBudget(budget: PodDisruptionBudget, { pods, expected, now }: Observation): BudgetDecision {
  const old = budget.status
  const generation = budget.metadata.generation ?? 0
  if (expected instanceof Error) return { status: failed(old, generation, expected, now), recheckAt: undefined, undead: [] }
  const { pending, recheckAt, undead } = disruptedPods(old?.disruptedPods ?? {}, pods, now)
  const expectedPods = expected ?? pods.length
  const desiredHealthy = desired(budget, expectedPods)
  const currentHealthy = pods.filter((pod) => isHealthy(pod) && pending[pod.metadata.name ?? ''] === undefined).length
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const allowed: Condition = {
    type: 'DisruptionAllowed',
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: generation,
  }
  const status = {
    observedGeneration: generation,
    ...(Object.keys(pending).length === 0 ? {} : { disruptedPods: pending }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: setCondition(old?.conditions, allowed, timestamp(now)),
  }
  return { status, recheckAt, undead }
}

/**
 * Reports whether the budget depends on the scale of controllers: an absolute minAvailable does
 * not.
 */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'
}

function desired({ spec }: PodDisruptionBudget, expected: number): number {
  if (spec?.maxUnavailable !== undefined) return Math.max(0, expected - resolved(spec.maxUnavailable, expected))
  return spec?.minAvailable === undefined ? 0 : resolved(spec.minAvailable, expected)
}

/** A percentage counts up: better one pod too many that stays. */
function resolved(value: number | string, expected: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * expected) / 100)
}

function isHealthy({ metadata, status }: Pod): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
  return !isBeingDeleted({ metadata }) && isReady
}

function disruptedPods(
  noted: Readonly<Record<string, string>>,
  pods: readonly Pod[],
  now: number,
): { pending: Record<string, string>; recheckAt: number | undefined; undead: readonly Pod[] } {
  const byName = new Map(pods.map((pod) => [pod.metadata.name ?? '', pod]))
  const waiting = Object.entries(noted).flatMap(([name, at]) => {
    const pod = byName.get(name)
    return pod === undefined || isBeingDeleted(pod) ? [] : [{ name, at, pod, until: Date.parse(at) + deletionTimeoutMs }]
  })
  const fresh = waiting.filter(({ until }) => until > now)
  return {
    pending: Object.fromEntries(fresh.map(({ name, at }) => [name, at])),
    recheckAt: fresh.length === 0 ? undefined : Math.min(...fresh.map(({ until }) => until)),
    undead: waiting.filter(({ until }) => until <= now).map(({ pod }) => pod),
  }
}

/** Allows no disruption: the expected number of pods is unknown. */
function failed(
  old: PodDisruptionBudgetStatus | undefined,
  observedGeneration: number,
  error: Error,
  now: number,
): PodDisruptionBudgetStatus {
  const condition: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: error.message,
    observedGeneration,
  }
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = old ?? {}
  const conditions = setCondition(old?.conditions, condition, timestamp(now))
  return { ...old, observedGeneration, currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: 0, conditions }
}
