import type { ReplicaSet, ReplicaSetStatus } from '#api/apps/v1/replica-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { isActive, isAvailable, isOver, isReady, nextAvailabilityMs } from '../pods/pod-state.ts'
import { choosePodsToDelete } from '../pods/deletion-order.ts'

/** What is known of a ReplicaSet. */
export interface ReplicaSetObservation {
  readonly replicaSet: ReplicaSet
  /** Its pods, whatever their state. */
  readonly pods: readonly Pod[]
  /** Active pods of all ReplicaSets of its controller, for spreading: number by node. */
  readonly related: ReadonlyMap<string, number>
  /** Whether the cache shows all that was done before. */
  readonly settled: boolean
}

/** What to do about a ReplicaSet. */
export interface ReplicaSetDecision {
  readonly create: number
  readonly remove: readonly Pod[]
  /** Without conditions. */
  readonly status: ReplicaSetStatus
  readonly recheckAfterMs: number | undefined
}

/** Pods created or deleted in one go at most. */
const burst = 500

/** Decides how many pods to create, or which to delete. Pure. */
export function decideReplicaSet({ replicaSet, pods, related, settled }: ReplicaSetObservation, now: number): ReplicaSetDecision {
  const active = pods.filter(isActive)
  const surplus = active.length - (replicaSet.spec.replicas ?? 1)
  const acts = settled && replicaSet.metadata.deletionTimestamp === undefined
  const remove = acts && surplus > 0 ? choosePodsToDelete(active, Math.min(burst, surplus), related) : []
  return {
    create: acts ? Math.min(burst, Math.max(0, -surplus)) : 0,
    remove,
    status: statusOf(replicaSet, pods, new Set(active).difference(new Set(remove)), now),
    recheckAfterMs: nextAvailabilityMs(active, replicaSet.spec.minReadySeconds ?? 0, now),
  }
}

/** The counts after this decision: nobody may count on a pod that is about to be deleted. */
function statusOf({ metadata, spec }: ReplicaSet, pods: readonly Pod[], staying: ReadonlySet<Pod>, now: number): ReplicaSetStatus {
  const active = [...staying]
  const labels = labelSelectorFromObject({ matchLabels: spec.template?.metadata?.labels ?? {} })
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => labels.matches(pod.metadata.labels ?? {})).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, now)).length,
    terminatingReplicas: pods.filter((pod) => !isOver(pod) && !staying.has(pod)).length,
    observedGeneration: metadata.generation ?? 0,
  }
}
