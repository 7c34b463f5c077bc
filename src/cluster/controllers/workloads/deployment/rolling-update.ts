import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { rolloutLimits } from './rollout-limits.ts'
import { type ReplicaSetChange, scaleTo } from './replica-set-change.ts'
import { availableOf, sizeOf, totalAvailable, totalSize } from './replica-sets.ts'

/** Pods to ask the current ReplicaSet for: as many more as the surplus allows. Pure. */
export function nextSize(deployment: Deployment, current: ReplicaSet | undefined, old: readonly ReplicaSet[]): number {
  const { replicas, surge } = rolloutLimits(deployment)
  const size = sizeOf(current)
  if (deployment.spec.strategy?.type === 'Recreate') return replicas
  if (size > replicas) return replicas
  const room = replicas + surge - size - totalSize(old)
  return room <= 0 ? size : size + Math.min(room, replicas - size)
}

/**
 * The next step of a rolling update: first the current ReplicaSet grows, and only when it cannot,
 * the old ones shrink. Pure.
 */
export function rollingStep(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly ReplicaSetChange[] {
  const size = nextSize(deployment, current, old)
  if (size !== sizeOf(current)) return scaleTo(deployment, current, size)
  return shrinkOld(deployment, current, old)
}

/**
 * Scales old ReplicaSets down, the oldest first: unavailable pods first, then others as far as
 * maxUnavailable allows.
 */
function shrinkOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly ReplicaSetChange[] {
  const { replicas, unavailable } = rolloutLimits(deployment)
  const minAvailable = replicas - unavailable
  const missing = sizeOf(current) - availableOf(current)
  let sick = totalSize([...old, current]) - minAvailable - missing
  if (totalSize(old) === 0 || sick <= 0) return []
  let spare = totalAvailable([...old, current]) - minAvailable
  return old.flatMap((replicaSet) => {
    const size = sizeOf(replicaSet)
    const unhealthy = Math.max(0, Math.min(sick, size - availableOf(replicaSet)))
    sick -= unhealthy
    const healthy = Math.max(0, Math.min(spare, size - unhealthy))
    spare -= healthy
    return unhealthy + healthy === 0 ? [] : scaleTo(deployment, replicaSet, size - unhealthy - healthy)
  })
}
