import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { sizeAnnotations } from './annotations.ts'
import { sizeOf } from './replica-sets.ts'

/** One write to a ReplicaSet. */
export type ReplicaSetChange =
  | { readonly kind: 'create'; readonly replicaSet: ReplicaSet }
  | { readonly kind: 'scale'; readonly replicaSet: ReplicaSet; readonly replicas: number; readonly annotations: Annotations }
  | { readonly kind: 'update'; readonly replicaSet: ReplicaSet; readonly annotations: Annotations; readonly minReadySeconds: number }
  | { readonly kind: 'delete'; readonly replicaSet: ReplicaSet }

type Annotations = Readonly<Record<string, string>>

/**
 * Scales a ReplicaSet, and lets it remember the Deployment's size; nothing when it is as it should
 * be. Pure.
 */
export function scaleTo(deployment: Deployment, replicaSet: ReplicaSet, replicas: number): readonly ReplicaSetChange[] {
  const remembered = sizeAnnotations(deployment)
  const fresh = Object.entries(remembered).every(([key, value]) => replicaSet.metadata.annotations?.[key] === value)
  if (sizeOf(replicaSet) === replicas && fresh) return []
  return [{ kind: 'scale', replicaSet, replicas, annotations: remembered }]
}
