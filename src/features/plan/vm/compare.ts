import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { changesBetween, type Change, type Expansion, type Source } from '#features/instancetype/index.ts'
import { classify, type Classification } from '#features/vm/index.ts'
import type { ConfiguredState } from '../cluster-state/configured-state.ts'
import { hardwareBetween } from './next-start.ts'
import { referenceTo, referenceToFound } from '../reference.ts'
import { whyUnchanged } from './remarks.ts'
import type { FieldChange, ObjectReference, PlannedVm } from '../types.ts'
import { expansionOf, guestOf, startStateOf, type VmState } from './vm-state.ts'

/** Effect on a VM as determined so far. */
export type Verdict = Pick<PlannedVm, 'effect'> & Partial<PlannedVm>

/** A VM in two moments, in both of which it can start. */
export interface Comparison {
  readonly from: ConfiguredState
  readonly to: ConfiguredState
  readonly before: VmState
  readonly after: VmState
  readonly was: Expansion
  readonly is: Expansion
  readonly runs: readonly FieldChange[]
}

/** Determines the effect on the VM's guest. */
export async function compare({ from, to, before, after, was, is, runs }: Comparison): Promise<Verdict> {
  const isConfigured = from.config !== to.config
  const changes = changesBetween(was.vmi, is.vmi)
  if (changes.length + runs.length === 0) return { effect: 'unchanged', ...whyUnchanged(to.cluster, after) }
  const describe = (classification: Classification | undefined): FieldChange[] => [
    ...runs,
    ...changes.map((change) => describeChange(change, { before, after, was, is }, { isConfigured, classification })),
  ]
  const vmi = guestOf(from.cluster, before.vm)
  const visible = hardwareBetween(was, is, vmi) ?? []
  const hardware = visible.length === 0 ? {} : { hardware: visible }
  if (vmi === undefined) return { effect: 'live', fields: describe(undefined), ...hardware }
  // The guest may run with an older revision than the current one: the comparison starts there.
  const started = await startStateOf(from.cluster, before.vm, vmi)
  const startedAs = (started === undefined ? undefined : expansionOf(started, from.config)) ?? was
  const isPending = classify(startedAs, was, vmi, from.config).kind === 'restart'
  const left = classify(startedAs, is, vmi, to.config)
  const isRestart = left.kind === 'restart'
  const pending = isRestart ? 'waits for a restart already' : 'no longer needs the restart that it waits for'
  const isUntold = isRestart && isConfigured && !(await isRestartTold({ from, to, before, after, was, is, runs }, vmi))
  const obstacles = new Set(left.fields.flatMap(({ message }) => (message === undefined ? [] : [message])))
  return {
    effect: isRestart ? 'restart' : 'live',
    fields: describe(left),
    ...hardware,
    notes: [...(isPending ? [pending] : []), ...(isUntold ? [untold] : []), ...obstacles],
  }
}

const untold = 'no RestartRequired will say so: a changed default of the cluster is no change of the VM'

/**
 * Reports whether the VM will have the condition RestartRequired, for which its controller uses the
 * current defaults on both sides.
 */
async function isRestartTold({ from, to, before, is }: Comparison, vmi: VirtualMachineInstance): Promise<boolean> {
  const started = await startStateOf(from.cluster, before.vm, vmi)
  const startedAs = started === undefined ? undefined : expansionOf(started, to.config)
  return startedAs !== undefined && classify(startedAs, is, vmi, to.config).kind === 'restart'
}

interface Judgement {
  readonly isConfigured: boolean
  /** Absent when there is no guest to change. */
  readonly classification: Classification | undefined
}

function describeChange(
  { path, old, new: wanted }: Change,
  { before, after, was, is }: Pick<Comparison, 'before' | 'after' | 'was' | 'is'>,
  { isConfigured, classification }: Judgement,
): FieldChange {
  const [state, sources] = is.sources.has(path) ? [after, is.sources] : [before, was.sources]
  const source = sources.get(path) ?? 'default'
  const object = originOf(source, state, isConfigured)
  // Values that only follow from others are not classified on their own.
  const own = classification?.fields.find((field) => field.path === path)
  return {
    path,
    ...(old === undefined ? {} : { old }),
    ...(wanted === undefined ? {} : { new: wanted }),
    effect: own?.kind ?? (classification?.kind === 'restart' ? 'restart' : 'live'),
    source,
    ...(object === undefined ? {} : { object }),
  }
}

function originOf(source: Source, { vm, inForce }: VmState, isConfigured: boolean): ObjectReference | undefined {
  if (source === 'vm') return referenceTo('VirtualMachine', vm.metadata)
  if (source === 'default') return isConfigured ? { kind: 'KubeVirt', name: 'kubevirt' } : undefined
  const found = inForce?.[source]
  return found === undefined ? undefined : referenceToFound(found)
}
