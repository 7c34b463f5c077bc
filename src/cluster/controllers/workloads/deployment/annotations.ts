import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { rolloutLimits } from './rollout-limits.ts'
import { desiredReplicasAnnotation, maxReplicasAnnotation, revisionAnnotation, revisionHistoryAnnotation } from './names.ts'
import { revisionOf } from './replica-sets.ts'

type Annotations = Readonly<Record<string, string>>

/** Annotations of a Deployment that mean nothing on its ReplicaSets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
])

/**
 * The annotations that the current ReplicaSet should have: the Deployment's, and the number of this
 * roll-out, with those it had before. Pure.
 */
export function currentAnnotations(deployment: Deployment, replicaSet: ReplicaSet | undefined, revision: bigint): Annotations {
  const old = replicaSet?.metadata.annotations ?? {}
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key))
  const next = { ...old, ...Object.fromEntries(inherited) }
  const before = replicaSet === undefined ? 0n : revisionOf(replicaSet)
  if (before >= revision) return next
  const history = (old[revisionHistoryAnnotation] ?? '').split(',').filter((entry) => entry !== '')
  if (before > 0n) history.push(String(before))
  return {
    ...next,
    [revisionAnnotation]: String(revision),
    ...(history.length === 0 ? {} : { [revisionHistoryAnnotation]: history.join(',') }),
  }
}

/**
 * Annotations that record the Deployment's size on a ReplicaSet, for proportional scaling. Pure.
 */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const { replicas, surge } = rolloutLimits(deployment)
  return { [desiredReplicasAnnotation]: String(replicas), [maxReplicasAnnotation]: String(replicas + surge) }
}

/** The size that the Deployment had when the ReplicaSet was last scaled. */
export function recordedSize({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation]
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
