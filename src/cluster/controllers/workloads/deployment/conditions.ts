import type { Deployment, DeploymentCondition, DeploymentStatus } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { findCondition, removeCondition } from '#apimachinery/conditions.ts'
import { rolloutLimits } from './rollout-limits.ts'

type Conditions = readonly DeploymentCondition[]
type Verdict = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>

/** Value of progressDeadlineSeconds that means none, as kubectl and Helm write it. */
const noDeadline = 2 ** 31 - 1

/** Seconds without progress that are borne; undefined: any number. */
export function progressDeadline({ spec }: Deployment): number | undefined {
  const seconds = spec.progressDeadlineSeconds
  return seconds === undefined || seconds === noDeadline ? undefined : seconds
}

/**
 * Sets a condition unless it says the same already; a new reason alone is an update but no
 * transition. Pure, as all of this file.
 * @param now RFC 3339
 */
export function withCondition(conditions: Conditions, verdict: Verdict, now: string): Conditions {
  const old = findCondition(conditions, verdict.type)
  if (old?.status === verdict.status && old.reason === verdict.reason) return conditions
  return replaced(conditions, verdict, now)
}

/** Sets the condition Available. */
export function withAvailability(conditions: Conditions, deployment: Deployment, available: number, now: string): Conditions {
  const { replicas, unavailable } = rolloutLimits(deployment)
  const type = 'Available'
  return available >= replicas - unavailable
    ? withCondition(
        conditions,
        { type, status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' },
        now,
      )
    : withCondition(
        conditions,
        { type, status: 'False', reason: 'MinimumReplicasUnavailable', message: 'Deployment does not have minimum availability.' },
        now,
      )
}

/**
 * Records that the roll-out was paused or resumed: the time in between does not count against the
 * progress deadline.
 */
export function withPause(conditions: Conditions, deployment: Deployment, now: string): Conditions {
  const reason = findCondition(conditions, 'Progressing')?.reason
  if (progressDeadline(deployment) === undefined || reason === 'ProgressDeadlineExceeded') return conditions
  const paused = deployment.spec.paused === true
  if (paused === (reason === 'DeploymentPaused')) return conditions
  const verdict = paused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' }
  return withCondition(conditions, { type: 'Progressing', status: 'Unknown', ...verdict }, now)
}

/** Sets the condition Progressing. */
export function withProgress(
  conditions: Conditions,
  deployment: Deployment,
  next: DeploymentStatus,
  current: ReplicaSet | undefined,
  nowMs: number,
  now: string,
): Conditions {
  const deadline = progressDeadline(deployment)
  if (deadline === undefined) return removeCondition(conditions, 'Progressing')
  const old = findCondition(conditions, 'Progressing')
  if (old?.reason === 'NewReplicaSetAvailable' && next.replicas === next.updatedReplicas) return conditions
  const type = 'Progressing'
  const subject = current === undefined ? `Deployment "${deployment.metadata.name ?? ''}"` : `ReplicaSet "${current.metadata.name ?? ''}"`
  if (isComplete(deployment, next)) {
    const message = `${subject} has successfully progressed.`
    return withCondition(conditions, { type, status: 'True', reason: 'NewReplicaSetAvailable', message }, now)
  }
  if (hasProgressed(deployment.status, next)) {
    // Not withCondition(): the time of the update is what the deadline counts from.
    return replaced(conditions, { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` }, now)
  }
  if (old === undefined || !isOverdue(old, deadline, nowMs)) return conditions
  const message = `${subject} has timed out progressing.`
  return withCondition(conditions, { type, status: 'False', reason: 'ProgressDeadlineExceeded', message }, now)
}

/** Repeats what keeps a ReplicaSet from having its pods, the current one first. */
export function withReplicaFailure(
  conditions: Conditions,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: string,
): Conditions {
  const failures = [...(current === undefined ? [] : [current]), ...old].flatMap(
    ({ status }) => findCondition(status?.conditions, 'ReplicaFailure') ?? [],
  )
  const [first] = failures
  if (first === undefined) return removeCondition(conditions, 'ReplicaFailure')
  const { type, status, reason, message } = first
  return withCondition(
    conditions,
    { type, status, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) },
    now,
  )
}

/** Reports whether all pods are of the new template and available. */
export function isComplete({ metadata, spec }: Deployment, status: DeploymentStatus | undefined): boolean {
  const replicas = spec.replicas ?? 1
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  )
}

/**
 * Milliseconds until the roll-out counts as stuck if nothing happens; undefined when nothing is
 * awaited.
 */
export function deadlineInMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const deadline = progressDeadline(deployment)
  const progressing = findCondition(status.conditions, 'Progressing')
  if (deadline === undefined || progressing === undefined || progressing.reason === 'ProgressDeadlineExceeded') return undefined
  if (deployment.spec.paused === true || isComplete(deployment, status)) return undefined
  return Math.max(0, Date.parse(progressing.lastUpdateTime ?? '') + deadline * 1000 - nowMs) + 1000
}

function isOverdue({ reason, lastUpdateTime }: DeploymentCondition, deadline: number, nowMs: number): boolean {
  if (reason === 'NewReplicaSetAvailable') return false
  return reason === 'ProgressDeadlineExceeded' || Date.parse(lastUpdateTime ?? '') + deadline * 1000 < nowMs
}

function hasProgressed(before: DeploymentStatus | undefined, next: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas
  const grew = (field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean => (next[field] ?? 0) > (before?.[field] ?? 0)
  return grew('updatedReplicas') || old(next) < old(before ?? {}) || grew('readyReplicas') || grew('availableReplicas')
}

function replaced(conditions: Conditions, verdict: Verdict, now: string): Conditions {
  const old = findCondition(conditions, verdict.type)
  const since = old?.status === verdict.status ? old.lastTransitionTime : undefined
  const next = { ...verdict, lastUpdateTime: now, lastTransitionTime: since ?? now }
  return [...conditions.filter(({ type }) => type !== verdict.type), next]
}
