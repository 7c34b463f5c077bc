import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { describeConflicts, type Expansion } from '#features/instancetype/index.ts'
import { mustExpandSpec, validateVirtualMachine } from '#features/vm/index.ts'
import { compare, type Verdict } from './compare.ts'
import type { ConfiguredState } from '../cluster-state/configured-state.ts'
import { referenceTo } from '../reference.ts'
import { namesakesOf, whyUnchanged } from './remarks.ts'
import type { FieldChange, PlannedVm } from '../types.ts'
import { expansionOf, guestOf, isSameState, stateOf, type VmState } from './vm-state.ts'

/** A VM before and after. */
export interface Transition {
  /** Undefined for a new VM. */
  readonly before: VirtualMachine | undefined
  readonly after: VirtualMachine
  /** True if the change writes the spec of the VM, so that admission validates it. */
  readonly isWritten: boolean
}

/** Plans the effect on one VM. */
export async function planVm(from: ConfiguredState, to: ConfiguredState, transition: Transition): Promise<PlannedVm> {
  const { namespace = '', name = '' } = transition.after.metadata
  const vmi = transition.before === undefined ? undefined : guestOf(from.cluster, transition.before)
  const verdict = toldOfRewriting(await verdictOf(from, to, transition), from, to, transition)
  return { namespace, name, running: vmi !== undefined, fields: [], notes: [], ...verdict }
}

/**
 * Announces the one case in which a controller rewrites a user's spec, also when the guest is
 * unchanged.
 */
function toldOfRewriting(verdict: Verdict, from: ConfiguredState, to: ConfiguredState, { before, after }: Transition): Verdict {
  const isNew = mustExpandSpec(after, to.config) && (before === undefined || !mustExpandSpec(before, from.config))
  if (!isNew || verdict.effect === 'blocked' || verdict.effect === 'conflict') return verdict
  const notes = [...(verdict.notes ?? []), 'its hardware is written into its spec, in place of instance type and preference']
  return { ...verdict, effect: verdict.effect === 'unchanged' ? 'live' : verdict.effect, notes }
}

async function verdictOf(from: ConfiguredState, to: ConfiguredState, transition: Transition): Promise<Verdict> {
  const before = transition.before === undefined ? undefined : await stateOf(from.cluster, transition.before)
  const after = await stateOf(to.cluster, transition.after)
  if (from.config === to.config && isSameState(before, after)) return { effect: 'unchanged', ...whyUnchanged(to.cluster, after) }
  const is = expansionOf(after, to.config)
  if (is === undefined) {
    const effect = before?.failure === after.failure ? 'unchanged' : 'blocked'
    return { effect, reason: after.failure ?? '', notes: namesakesOf(to.cluster, after.vm) }
  }
  const was = before === undefined ? undefined : expansionOf(before, from.config)
  const obstacle = before?.failure ?? conflictOf(was)
  if (is.conflicts.length > 0) return { effect: conflictOf(is) === obstacle ? 'unchanged' : 'conflict', reason: conflictOf(is) ?? '' }
  const refusal = refusalOf(transition, after, to.config)
  if (refusal !== undefined && transition.isWritten) return { effect: 'blocked', reason: refusal }
  const notes = refusal === undefined ? [] : [`its next edit will be refused: ${refusal}`]
  if (before === undefined || was === undefined || obstacle !== undefined) {
    return { effect: 'live', notes: [obstacle === undefined ? 'a new VM' : `can start now; until now: ${obstacle}`, ...notes] }
  }
  const verdict = await compare({ from, to, before, after, was, is, runs: runChange(transition) })
  return { ...verdict, notes: [...(verdict.notes ?? []), ...notes] }
}

function conflictOf(expansion: Expansion | undefined): string | undefined {
  return expansion === undefined || expansion.conflicts.length === 0 ? undefined : describeConflicts(expansion.conflicts)
}

/**
 * Returns the admission errors of the VM. Admission is not called when only the objects change that
 * a VM names.
 */
function refusalOf({ before }: Transition, { vm, inForce }: VmState, config: ClusterConfig): string | undefined {
  const objects = { instancetype: inForce?.instancetype?.object, preference: inForce?.preference?.object }
  const { causes } = validateVirtualMachine(vm, { old: before, ...objects, config })
  return causes.length === 0 ? undefined : causes.map(({ message }) => message).join(', ')
}

/** Starting and stopping is a change of the VM, not of its VMI. */
function runChange({ before, after }: Transition): FieldChange[] {
  const [old, wanted] = [before, after].map((vm) => vm?.spec.runStrategy ?? (vm?.spec.running === true ? 'Always' : 'Halted'))
  if (before === undefined || old === wanted) return []
  const object = referenceTo('VirtualMachine', after.metadata)
  return [{ path: 'virtualMachine.spec.runStrategy', old, new: wanted, effect: 'live', source: 'vm', object }]
}
