import type { Deployment, DeploymentStatus } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { currentAnnotations } from './annotations.ts'
import { type ReplicaSetChange, scaleTo } from './replica-set-change.ts'
import { deadlineInMs, isComplete, withAvailability, withCondition, withPause, withProgress, withReplicaFailure } from './conditions.ts'
import { newReplicaSet } from './new-replica-set.ts'
import { scaleInProportion, wasScaled } from './proportional-scaling.ts'
import { type Generations, generationsOf, revisionOf, sizeOf } from './replica-sets.ts'
import { nextSize, rollingStep } from './rolling-update.ts'
import { countsOf } from './status.ts'

/** Input of {@link decideDeployment}. */
export interface DeploymentObservation {
  readonly deployment: Deployment
  /** Its ReplicaSets. */
  readonly replicaSets: readonly ReplicaSet[]
  /**
   * Uids of the ReplicaSets that have pods which have not ended, even if these are on their way
   * out.
   */
  readonly withPods: ReadonlySet<string>
}

/** Writes that a Deployment needs, and its status. */
export interface DeploymentDecision {
  readonly changes: readonly ReplicaSetChange[]
  /** The number of the roll-out, when the Deployment does not carry it yet. */
  readonly revision: bigint | undefined
  readonly status: DeploymentStatus
  readonly recheckAfterMs: number | undefined
}

/**
 * Decides the next step of a Deployment; the events of what it changes lead to the one after. Pure.
 */
export function decideDeployment(observed: DeploymentObservation, nowMs: number, now: string): DeploymentDecision {
  const { deployment } = observed
  const generations = generationsOf(deployment, observed.replicaSets)
  const { current, old } = generations
  const going = isBeingDeleted(deployment)
  const changes = going ? [] : changesOf(observed, generations)
  const counts = countsOf(deployment, generations)
  let conditions = withPause(deployment.status?.conditions ?? [], deployment, now)
  conditions = withAvailability(conditions, deployment, counts.availableReplicas ?? 0, now)
  if (!going && !rollsNot(deployment, generations)) {
    conditions = withFinding(conditions, current, changes, now)
    conditions = withProgress(conditions, deployment, counts, current, nowMs, now)
    conditions = withReplicaFailure(conditions, current, old, now)
  }
  const status = { ...counts, conditions: [...conditions] }
  const revision = current === undefined ? 0n : largest(revisionOf(current), revisionFor(old))
  return {
    changes,
    revision: revision === 0n || going || revision === revisionOf(deployment) ? undefined : revision,
    status,
    recheckAfterMs: deadlineInMs(deployment, status, nowMs),
  }
}

/** Paused, or scaled in the middle of a roll-out: sizes may change, but nothing rolls on. */
function rollsNot(deployment: Deployment, generations: Generations): boolean {
  return deployment.spec.paused === true || wasScaled(deployment, generations)
}

function changesOf(observed: DeploymentObservation, generations: Generations): readonly ReplicaSetChange[] {
  const { deployment } = observed
  const { current, old } = generations
  const tidied = current === undefined ? [] : tidy(deployment, current, revisionFor(old))
  if (tidied.length > 0) return tidied
  if (rollsNot(deployment, generations)) {
    const scaled = scaleInProportion(deployment, generations)
    return deployment.spec.paused === true ? [...scaled, ...outdated(deployment, old)] : scaled
  }
  const step = deployment.spec.strategy?.type === 'Recreate' ? recreateStep(observed, generations) : rollStep(deployment, generations)
  return step.length === 0 && isComplete(deployment, deployment.status) ? outdated(deployment, old) : step
}

function rollStep(deployment: Deployment, { current, old }: Generations): readonly ReplicaSetChange[] {
  return current === undefined ? creation(deployment, old) : rollingStep(deployment, current, old)
}

/** All old pods must be gone before there is a new one. */
function recreateStep({ deployment, withPods }: DeploymentObservation, { current, old }: Generations): readonly ReplicaSetChange[] {
  const active = old.filter((one) => sizeOf(one) > 0)
  if (active.length > 0) return active.flatMap((one) => scaleTo(deployment, one, 0))
  if (old.some(({ metadata }) => withPods.has(metadata.uid ?? ''))) return []
  return current === undefined ? creation(deployment, old) : scaleTo(deployment, current, deployment.spec.replicas ?? 1)
}

function creation(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSetChange[] {
  return [{ kind: 'create', replicaSet: newReplicaSet(deployment, nextSize(deployment, undefined, old), revisionFor(old)) }]
}

/** Annotations and minReadySeconds of the current ReplicaSet follow the Deployment. */
function tidy(deployment: Deployment, current: ReplicaSet, revision: bigint): readonly ReplicaSetChange[] {
  const annotations = currentAnnotations(deployment, current, revision)
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  const same = deepEqual(annotations, current.metadata.annotations ?? {}) && minReadySeconds === (current.spec.minReadySeconds ?? 0)
  return same ? [] : [{ kind: 'update', replicaSet: current, annotations, minReadySeconds }]
}

/** The number of the roll-out after all old ones. */
function revisionFor(old: readonly ReplicaSet[]): bigint {
  return largest(0n, ...old.map(revisionOf)) + 1n
}

function largest(...revisions: readonly bigint[]): bigint {
  return revisions.reduce((a, b) => (a > b ? a : b))
}

/** Old ReplicaSets beyond what the history keeps, that have nothing left. */
function outdated({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSetChange[] {
  const living = old.filter(({ metadata }) => !isBeingDeleted({ metadata }))
  const surplus = Math.max(0, living.length - (spec.revisionHistoryLimit ?? 10))
  return living
    .toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)))
    .slice(0, surplus)
    .filter((one) => sizeOf(one) === 0 && (one.status?.replicas ?? 0) === 0 && hasBeenSeen(one))
    .map((replicaSet) => ({ kind: 'delete', replicaSet }))
}

function hasBeenSeen({ metadata, status }: ReplicaSet): boolean {
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
}

type Conditions = NonNullable<DeploymentStatus['conditions']>

/** The roll-out begins with a ReplicaSet that is made, or that was there. */
function withFinding(
  conditions: readonly Conditions[number][],
  current: ReplicaSet | undefined,
  changes: readonly ReplicaSetChange[],
  now: string,
): readonly Conditions[number][] {
  const made = changes.find(({ kind }) => kind === 'create')?.replicaSet
  const verdict = { type: 'Progressing', status: 'True' } as const
  if (made !== undefined) {
    const message = `Created new replica set "${made.metadata.name ?? ''}"`
    return withCondition(conditions, { ...verdict, reason: 'NewReplicaSetCreated', message }, now)
  }
  if (current === undefined || findCondition(conditions, 'Progressing') !== undefined) return conditions
  const message = `Found new replica set "${current.metadata.name ?? ''}"`
  return withCondition(conditions, { ...verdict, reason: 'FoundNewReplicaSet', message }, now)
}
