import type { ReplicaSet, ReplicaSetStatus } from '#api/apps/v1/replica-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { isActive, isAvailable, isOver, isReady, nextAvailabilityMs } from '../pods/pod-state.ts'
import { choosePodsToDelete } from '../pods/deletion-order.ts'

/** Input of {@link decideReplicaSet}. */
export interface ReplicaSetObservation {
  readonly replicaSet: ReplicaSet
  /** Pods of the ReplicaSet in every state. */
  readonly pods: readonly Pod[]
  /** Active pods of all ReplicaSets of its controller, for spreading: number by node. */
  readonly related: ReadonlyMap<string, number>
  /** The cache shows all earlier writes of this controller. */
  readonly settled: boolean
}

/** Writes that a ReplicaSet needs, and its status. */
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
  const acts = settled && !isBeingDeleted(replicaSet)
  const remove = acts && surplus > 0 ? choosePodsToDelete(active, Math.min(burst, surplus), related) : []
  return {
    create: acts ? Math.min(burst, Math.max(0, -surplus)) : 0,
    remove,
    status: statusOf(replicaSet, pods, new Set(active).difference(new Set(remove)), now),
    recheckAfterMs: nextAvailabilityMs(active, replicaSet.spec.minReadySeconds ?? 0, now),
  }
}

/** Counts after this decision, without pods that are about to be deleted. */
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
