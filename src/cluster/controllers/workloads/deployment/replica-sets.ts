import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { revisionAnnotation, templateHashLabel } from './names.ts'

/** The ReplicaSets of a Deployment, oldest first. */
export interface Generations {
  /** The one with the Deployment's template; the oldest, if there are several. */
  readonly current: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
}

/** Splits ReplicaSets into the current one and old ones. Pure. */
export function generationsOf(deployment: Deployment, replicaSets: readonly ReplicaSet[]): Generations {
  const sorted = replicaSets.toSorted(byAge)
  const wanted = withoutHash(deployment.spec.template)
  const current = sorted.find(({ spec }) => spec.template !== undefined && semanticEqual(withoutHash(spec.template), wanted))
  return { current, old: sorted.filter((one) => one !== current) }
}

/** Desired pods of a ReplicaSet. */
export function sizeOf(replicaSet: ReplicaSet | undefined): number {
  return replicaSet === undefined ? 0 : (replicaSet.spec.replicas ?? 1)
}

/** Desired pods of several ReplicaSets. */
export function totalSize(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, one) => sum + sizeOf(one), 0)
}

/**
 * Available pods of a ReplicaSet, at most its desired number: the status of one that was just
 * scaled down may still count pods that are about to be deleted.
 */
export function availableOf(replicaSet: ReplicaSet): number {
  return Math.min(sizeOf(replicaSet), replicaSet.status?.availableReplicas ?? 0)
}

/** Available pods of ReplicaSets. */
export function totalAvailable(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, one) => sum + availableOf(one), 0)
}

/** Number of the roll-out that the object belongs to; 0 without one. */
export function revisionOf({ metadata }: Pick<ReplicaSet, 'metadata'>): bigint {
  const text = metadata.annotations?.[revisionAnnotation] ?? ''
  // An int64 to Kubernetes, which a number cannot hold.
  return /^\d{1,18}$|^[1-8]\d{18}$/.test(text) ? BigInt(text) : 0n
}

/** Sorts by creation time, then by name. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (first !== second) return first < second ? -1 : 1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

function withoutHash(template: PodTemplateSpec): unknown {
  const { [templateHashLabel]: _, ...labels } = template.metadata?.labels ?? {}
  const { annotations } = template.metadata ?? {}
  const metadata = { labels, annotations: Object.keys(annotations ?? {}).length === 0 ? undefined : annotations }
  return { metadata, spec: template.spec }
}
