import { findCondition, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Conditions that the VM controller computes itself; all others are mirrored from the VMI. */
const own = ['Ready', 'Failure', 'RestartRequired', 'ManualRecoveryRequired']

/** Reason and message of the Failure condition. */
export interface Failure {
  readonly reason: string
  readonly message: string
}

/**
 * Facts that the conditions are computed from. `restartRequired` is the message, false for none;
 * undefined leaves the condition as it is.
 */
export interface ConditionFacts {
  readonly vmi: VirtualMachineInstance | undefined
  readonly failure: Failure | undefined
  readonly restartRequired: string | false | undefined
}

/** Returns the VM's conditions; the same list when nothing has changed. */
export function computeConditions(old: readonly Condition[] | undefined, facts: ConditionFacts, now: string): Condition[] {
  let conditions = mirror(old ?? [], facts.vmi)
  conditions = setCondition(conditions, readiness(facts.vmi), now)
  conditions =
    facts.failure === undefined
      ? removeCondition(conditions, 'Failure')
      : setCondition(conditions, { type: 'Failure', status: 'True', lastProbeTime: null, ...facts.failure }, now)
  const message = facts.restartRequired
  if (message === undefined) return conditions
  if (message === false) return removeCondition(conditions, 'RestartRequired')
  return setCondition(conditions, { type: 'RestartRequired', status: 'True', reason: 'RestartRequired', message, lastProbeTime: null }, now)
}

/** Mirrors the VMI's conditions with their timestamps; those of a deleted VMI are removed. */
function mirror(old: readonly Condition[], vmi: VirtualMachineInstance | undefined): Condition[] {
  const shown = ((vmi?.status?.conditions ?? []) as readonly Condition[]).filter((condition) => !own.includes(condition.type))
  const kept = old.filter((condition) => own.includes(condition.type))
  return [...kept, ...shown]
}

function readiness(vmi: VirtualMachineInstance | undefined): Condition {
  if (vmi === undefined) {
    return { type: 'Ready', status: 'False', reason: 'VMINotExists', message: 'VMI does not exist', lastProbeTime: null }
  }
  const ready = findCondition((vmi.status?.conditions ?? []) as readonly Condition[], 'Ready')
  if (ready !== undefined) return ready
  const message = 'Guest VM is not reported as running'
  return { type: 'Ready', status: 'False', reason: 'GuestNotRunning', message, lastProbeTime: null }
}
