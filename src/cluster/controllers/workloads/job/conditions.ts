import type { Job, JobCondition } from '#api/batch/v1/job.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'

/** Result of a Job: announced first, and final when no pod is left. */
export interface JobResult {
  readonly kind: 'Complete' | 'Failed'
  readonly reason: string
  readonly message: string
}

/** Conditions that announce a result. */
const announcements = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' } as const

/** Reports whether the Job has finished. */
export function isFinished({ status }: Job): boolean {
  return isTrue(status?.conditions, 'Complete') || isTrue(status?.conditions, 'Failed')
}

/** The end that is announced, if one is: there is no way back from it. */
export function announcedEnding({ status }: Job): JobResult | undefined {
  for (const kind of ['Failed', 'Complete'] as const) {
    const found = findCondition(status?.conditions, announcements[kind])
    if (found?.status === 'True') return { kind, reason: found.reason ?? '', message: found.message ?? '' }
  }
  return undefined
}

/**
 * Adds the condition that announces the result, and the final one when it `isOver`. `now`: RFC
 * 3339. Pure.
 */
export function withEnding(conditions: readonly JobCondition[], ending: JobResult, isOver: boolean, now: string): readonly JobCondition[] {
  const { kind, reason, message } = ending
  const announced = withCondition(conditions, { type: announcements[kind], status: 'True', reason, message }, now)
  return isOver ? withCondition(announced, { type: kind, status: 'True', reason, message }, now) : announced
}

/** Sets the condition Suspended; a Job that was never suspended gets none. Pure. */
export function withSuspension(conditions: readonly JobCondition[], suspended: boolean, now: string): readonly JobCondition[] {
  const type = 'Suspended'
  if (suspended) return withCondition(conditions, { type, status: 'True', reason: 'JobSuspended', message: 'Job suspended' }, now)
  if (!isTrue(conditions, type)) return conditions
  return withCondition(conditions, { type, status: 'False', reason: 'JobResumed', message: 'Job resumed' }, now)
}

function withCondition(conditions: readonly JobCondition[], verdict: JobCondition, now: string): readonly JobCondition[] {
  const old = findCondition(conditions, verdict.type)
  if (old?.status === verdict.status) return conditions
  const next = { ...verdict, lastProbeTime: now, lastTransitionTime: now }
  return [...conditions.filter(({ type }) => type !== verdict.type), next]
}
