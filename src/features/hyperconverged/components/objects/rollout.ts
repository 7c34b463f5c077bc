import type { ComponentObject } from '../../reconcile/observe.ts'

/** Progress of the pods of a Deployment or DaemonSet. */
export interface Rollout {
  readonly isReady: boolean
  readonly message: string
}

interface Counts {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly desiredNumberScheduled?: number
  readonly updatedNumberScheduled?: number
  readonly numberReady?: number
}

/** Reads from the status how many pods of the last revision are ready. Pure. */
export function rolloutOf({ kind, metadata, spec, status }: ComponentObject): Rollout {
  const counts = (status ?? {}) as Counts
  const isSeen = (counts.observedGeneration ?? 0) >= (metadata?.generation ?? 0)
  const isDaemonSet = kind === 'DaemonSet' || counts.desiredNumberScheduled !== undefined
  const { replicas = 1 } = (spec ?? {}) as { readonly replicas?: number }
  const wanted = isDaemonSet ? (counts.desiredNumberScheduled ?? 0) : replicas
  const updated = (isDaemonSet ? counts.updatedNumberScheduled : counts.updatedReplicas) ?? 0
  const ready = (isDaemonSet ? counts.numberReady : counts.readyReplicas) ?? 0
  const count = Math.min(updated, ready)
  return { isReady: isSeen && count >= wanted, message: isSeen ? `${count} of ${wanted} pods are ready` : 'its pods are not known yet' }
}
