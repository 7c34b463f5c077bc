import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { evictionOutcome, type EvictionConfig } from '#features/eviction/index.ts'

/** A guest with its pods and budget. */
export interface Observed {
  /** Undefined when it is gone; garbage collection deletes its dependents. */
  readonly vmi: VirtualMachineInstance | undefined
  /** Its launcher pods. */
  readonly pods: readonly Pod[]
  /** An active migration of the guest exists. */
  readonly isMigrating: boolean
  readonly budget: PodDisruptionBudget | undefined
  /** Budgets that another controller has made for the guest, such as an older one of KubeVirt. */
  readonly others: readonly PodDisruptionBudget[]
}

/** The step to take now. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly minAvailable: number }
  | { readonly kind: 'resize'; readonly budget: PodDisruptionBudget; readonly minAvailable: number }
  | { readonly kind: 'delete'; readonly budget: PodDisruptionBudget }

/**
 * Decides what a guest's disruption budget should be. A guest that an eviction must not shut down
 * has one: it refuses evictions, with the status that drains retry on, while the webhook is down.
 * With a second one the API server could not evict the pod at all: others are deleted, after the
 * guest has its own.
 */
export function decide(observed: Observed, config: EvictionConfig): Step {
  const step = decideOwn(observed, config)
  const [other] = observed.others
  return step.kind === 'none' && other !== undefined ? { kind: 'delete', budget: other } : step
}

function decideOwn({ vmi, pods, isMigrating, budget }: Observed, config: EvictionConfig): Step {
  if (vmi === undefined || isBeingDeleted(vmi)) return { kind: 'none' }
  if (isVmiFinal(vmi) || evictionOutcome(vmi, config) === 'shutdown')
    return budget === undefined ? { kind: 'none' } : { kind: 'delete', budget }
  const minAvailable = podsNeededBy(vmi, pods, isMigrating)
  if (budget === undefined) return { kind: 'create', minAvailable }
  return budget.spec?.minAvailable === minAvailable ? { kind: 'none' } : { kind: 'resize', budget, minAvailable }
}

/**
 * Returns 2 from the moment a migration is requested: neither source nor target pod may be evicted,
 * and the controller may be down when the second pod is created.
 */
function podsNeededBy({ status }: VirtualMachineInstance, pods: readonly Pod[], isMigrating: boolean): number {
  const { startTimestamp, endTimestamp } = status?.migrationState ?? {}
  const isMoving = (startTimestamp ?? null) !== null && (endTimestamp ?? null) === null
  const lasting = pods.filter((pod) => !isBeingDeleted(pod) && !isPodTerminal(pod))
  return isMigrating || isMoving || lasting.length > 1 ? 2 : 1
}
