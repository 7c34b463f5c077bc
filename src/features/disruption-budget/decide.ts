import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { evictionOutcome, type EvictionConfig } from '#features/eviction/index.ts'

/** What is known of a guest's protection. */
export interface Observed {
  /** Undefined: it is gone, and what belonged to it is collected. */
  readonly vmi: VirtualMachineInstance | undefined
  /** Its launcher pods. */
  readonly pods: readonly Pod[]
  /** Whether somebody has asked for it to be moved, and that is not over. */
  readonly isMigrating: boolean
  readonly budget: PodDisruptionBudget | undefined
}

/** The one step to take now. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly minAvailable: number }
  | { readonly kind: 'resize'; readonly budget: PodDisruptionBudget; readonly minAvailable: number }
  | { readonly kind: 'delete'; readonly budget: PodDisruptionBudget }

/**
 * Decides what a guest's disruption budget should be. A guest that an eviction must not stop has
 * one. It is what still refuses evictions, and with the answer that drains wait for, while nobody
 * asks or answers the webhook.
 */
export function decide({ vmi, pods, isMigrating, budget }: Observed, config: EvictionConfig): Step {
  if (vmi === undefined || isBeingDeleted(vmi)) return { kind: 'none' }
  if (isVmiFinal(vmi) || evictionOutcome(vmi, config) === 'shutdown')
    return budget === undefined ? { kind: 'none' } : { kind: 'delete', budget }
  const minAvailable = podsNeededBy(vmi, pods, isMigrating)
  if (budget === undefined) return { kind: 'create', minAvailable }
  return budget.spec?.minAvailable === minAvailable ? { kind: 'none' } : { kind: 'resize', budget, minAvailable }
}

/**
 * While the guest moves, neither the pod that it leaves nor the one that it goes to may be taken
 * away: one that stays would be enough for a budget of one. From before there is a second one:
 * nobody may be there to raise it then.
 */
function podsNeededBy({ status }: VirtualMachineInstance, pods: readonly Pod[], isMigrating: boolean): number {
  const { startTimestamp, endTimestamp } = status?.migrationState ?? {}
  const isMoving = (startTimestamp ?? null) !== null && (endTimestamp ?? null) === null
  const lasting = pods.filter((pod) => !isBeingDeleted(pod) && !isPodTerminal(pod))
  return isMigrating || isMoving || lasting.length > 1 ? 2 : 1
}
