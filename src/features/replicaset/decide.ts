import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceReplicaSet } from '#api/kubevirt/v1/virtual-machine-instance-replica-set.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/** A replica set and the VMIs that it controls, in every state. */
export interface Observed {
  readonly replicaSet: VirtualMachineInstanceReplicaSet
  readonly vmis: readonly VirtualMachineInstance[]
  /** False while the cache lacks earlier writes of this controller. */
  readonly isSettled: boolean
}

/** VMIs to create and to delete, and the counts for the status after it. */
export interface Decision {
  readonly create: number
  readonly remove: readonly VirtualMachineInstance[]
  readonly replicas: number
  readonly readyReplicas: number
}

/** VMIs created or deleted in one go at most. */
const burst = 250

/**
 * Decides how many VMIs to create, or which to delete. A VMI that has ended is deleted, and
 * replaced. Of living ones, those go first that run least: not running, not ready, youngest. Pure.
 */
export function decide({ replicaSet, vmis, isSettled }: Observed): Decision {
  const { spec } = replicaSet
  const staying = vmis.filter((vmi) => !isBeingDeleted(vmi))
  const living = staying.filter((vmi) => !isVmiFinal(vmi))
  const ended = staying.filter((vmi) => isVmiFinal(vmi))
  const surplus = living.length - (spec.replicas ?? 1)
  const acts = isSettled && spec.paused !== true && !isBeingDeleted(replicaSet)
  const superfluous = acts && surplus > 0 ? living.toSorted(byWorth).slice(0, surplus) : []
  const remove = acts ? [...ended, ...superfluous].slice(0, burst) : []
  const left = living.filter((vmi) => !remove.includes(vmi))
  return {
    create: acts ? Math.min(burst, Math.max(0, -surplus)) : 0,
    remove,
    replicas: left.length,
    readyReplicas: left.filter(isReady).length,
  }
}

function isReady({ status }: VirtualMachineInstance): boolean {
  return isTrue(status?.conditions, 'Ready')
}

/** Orders VMIs: first those whose end costs least. */
function byWorth(a: VirtualMachineInstance, b: VirtualMachineInstance): number {
  const worth = (vmi: VirtualMachineInstance): number => (vmi.status?.phase === 'Running' ? 2 : 0) + (isReady(vmi) ? 1 : 0)
  const age = (vmi: VirtualMachineInstance): number => Date.parse(vmi.metadata.creationTimestamp ?? '') || 0
  return worth(a) - worth(b) || age(b) - age(a)
}
