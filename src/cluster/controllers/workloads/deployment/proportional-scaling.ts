import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { recordedSize } from './annotations.ts'
import { rolloutLimits } from './rollout-limits.ts'
import { type ReplicaSetChange, scaleTo } from './replica-set-change.ts'
import { desiredReplicasAnnotation, maxReplicasAnnotation } from './names.ts'
import { byAge, type Generations, sizeOf, totalSize } from './replica-sets.ts'

/** Reports whether the Deployment was scaled since its ReplicaSets were. Pure. */
export function wasScaled(deployment: Deployment, { current, old }: Generations): boolean {
  const replicas = deployment.spec.replicas ?? 1
  return [...old, ...(current === undefined ? [] : [current])]
    .filter((one) => sizeOf(one) > 0)
    .map((one) => recordedSize(one, desiredReplicasAnnotation))
    .some((remembered) => remembered !== undefined && remembered !== replicas)
}

/**
 * Scales without rolling on: the only ReplicaSet takes it all; in the middle of a roll-out, each
 * takes its share. Pure.
 */
export function scaleInProportion(deployment: Deployment, generations: Generations): readonly ReplicaSetChange[] {
  const { current, old } = generations
  const { replicas } = rolloutLimits(deployment)
  const only = onlyOne(generations)
  if (only !== undefined) return sizeOf(only) === replicas ? [] : scaleTo(deployment, only, replicas)
  if (current !== undefined && isSaturated(current, replicas)) {
    return old.filter((one) => sizeOf(one) > 0).flatMap((one) => scaleTo(deployment, one, 0))
  }
  if (deployment.spec.strategy?.type === 'Recreate') return []
  return distribute(
    deployment,
    [...old, ...(current === undefined ? [] : [current])].filter((one) => sizeOf(one) > 0),
  )
}

/**
 * The ReplicaSet with pods, if there is exactly one; if there is none, the current or else the
 * newest.
 */
function onlyOne({ current, old }: Generations): ReplicaSet | undefined {
  const active = [...old, ...(current === undefined ? [] : [current])].filter((one) => sizeOf(one) > 0)
  if (active.length > 1) return undefined
  return active[0] ?? current ?? old.at(-1)
}

function isSaturated(current: ReplicaSet, replicas: number): boolean {
  return (
    sizeOf(current) === replicas &&
    recordedSize(current, desiredReplicasAnnotation) === replicas &&
    (current.status?.availableReplicas ?? 0) === replicas
  )
}

function distribute(deployment: Deployment, active: readonly ReplicaSet[]): readonly ReplicaSetChange[] {
  const { replicas, surge } = rolloutLimits(deployment)
  const toAdd = (replicas > 0 ? replicas + surge : 0) - totalSize(active)
  const grows = toAdd > 0
  // The largest take most; of equal ones, the newest when growing and the oldest when shrinking.
  const sorted = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (grows ? byAge(b, a) : byAge(a, b)))
  let added = 0
  const sizes = sorted.map((one) => {
    const left = toAdd - added
    const wanted = toAdd === 0 ? 0 : shareOf(deployment, one)
    const share = grows ? Math.min(wanted, left) : Math.max(wanted, left)
    added += share
    return sizeOf(one) + share
  })
  return sorted.flatMap((one, index) => {
    const leftover = index === 0 ? toAdd - added : 0
    return scaleTo(deployment, one, Math.max(0, (sizes[index] ?? 0) + leftover))
  })
}

/** Change of a ReplicaSet's size that keeps its share of the Deployment. */
function shareOf(deployment: Deployment, replicaSet: ReplicaSet): number {
  const { replicas, surge } = rolloutLimits(deployment)
  const size = sizeOf(replicaSet)
  if (replicas === 0) return -size
  const before = recordedSize(replicaSet, maxReplicasAnnotation) ?? deployment.status?.replicas ?? 0
  return before === 0 ? 0 : Math.round((size * (replicas + surge)) / before) - size
}
