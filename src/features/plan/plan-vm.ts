import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import { changesBetween, describeConflicts, type Change, type Expansion, type Source } from '#features/instancetype/index.ts'
import { classify, mustBeWrittenOut, validateVirtualMachine, type Classification } from '#features/vm/index.ts'
import { families, namedObject } from './named-objects.ts'
import { referenceTo, referenceToFound } from './reference.ts'
import type { FieldChange, ObjectReference, PlannedVm } from './types.ts'
import { expansionOf, guestOf, isSameState, startStateOf, stateOf, type VmState } from './vm-state.ts'
import type { World } from './world.ts'

/** A world and its configuration. */
export interface Moment {
  readonly world: World
  readonly config: ClusterConfig
}

/** A VM before and after. */
export interface Transition {
  /** Undefined for a new VM. */
  readonly before: VirtualMachine | undefined
  readonly after: VirtualMachine
  /** Whether somebody writes the VM itself, so that admission judges it. */
  readonly isWritten: boolean
}

type Verdict = Pick<PlannedVm, 'effect'> & Partial<PlannedVm>

/** What becomes of one VM. */
export async function planVm(from: Moment, to: Moment, transition: Transition): Promise<PlannedVm> {
  const { namespace = '', name = '' } = transition.after.metadata
  const vmi = transition.before === undefined ? undefined : guestOf(from.world, transition.before)
  const verdict = toldOfRewriting(await verdictOf(from, to, transition), from, to, transition)
  return { namespace, name, running: vmi !== undefined, fields: [], notes: [], ...verdict }
}

/** The one case in which a controller rewrites a user's spec must not come as a surprise, also when the guest gets the same. */
function toldOfRewriting(verdict: Verdict, from: Moment, to: Moment, { before, after }: Transition): Verdict {
  const isNew = mustBeWrittenOut(after, to.config) && (before === undefined || !mustBeWrittenOut(before, from.config))
  if (!isNew || verdict.effect === 'blocked' || verdict.effect === 'conflict') return verdict
  const notes = [...(verdict.notes ?? []), 'its hardware is written into its spec, in place of instance type and preference']
  return { ...verdict, effect: verdict.effect === 'unchanged' ? 'live' : verdict.effect, notes }
}

async function verdictOf(from: Moment, to: Moment, transition: Transition): Promise<Verdict> {
  const before = transition.before === undefined ? undefined : await stateOf(from.world, transition.before)
  const after = await stateOf(to.world, transition.after)
  if (from.config === to.config && isSameState(before, after)) return { effect: 'unchanged', ...whyUnchanged(to.world, after) }
  if (after.inForce === undefined) {
    const effect = before?.failure === after.failure ? 'unchanged' : 'blocked'
    return { effect, reason: after.failure, notes: namesakesOf(to.world, after.vm) }
  }
  const [was, is] = [before === undefined ? undefined : expansionOf(before, from.config), expansionOf(after, to.config)]
  const refused = is === undefined ? undefined : refusalOf(transition, after, to.config, is)
  if (refused !== undefined)
    return was !== undefined && was.conflicts.length > 0 && refused.effect === 'conflict' ? stillConflicting(was, refused) : refused
  if (is === undefined) return { effect: 'unchanged' }
  const runs = runChange(transition)
  if (before === undefined) return { effect: 'live', notes: ['a new VM'] }
  if (was === undefined || was.conflicts.length > 0)
    return { effect: 'live', notes: [`can start now: ${before.failure ?? describeConflicts(was?.conflicts ?? [])}`] }
  return compare({ from, to, before, after, was, is, runs })
}

function stillConflicting(was: Expansion, refused: Verdict): Verdict {
  return describeConflicts(was.conflicts) === refused.reason ? { ...refused, effect: 'unchanged' } : refused
}

/** What admission, or the VM controller when nobody asks admission, has against the VM. */
function refusalOf(
  { isWritten, before }: Transition,
  after: VmState,
  config: ClusterConfig,
  { conflicts }: Expansion,
): Verdict | undefined {
  if (conflicts.length > 0) return { effect: 'conflict', reason: describeConflicts(conflicts) }
  if (!isWritten) return undefined
  const { instancetype, preference } = after.inForce ?? {}
  const objects = { instancetype: instancetype?.object, preference: preference?.object }
  const { causes } = validateVirtualMachine(after.vm, { old: before, ...objects, config })
  return causes.length === 0 ? undefined : { effect: 'blocked', reason: causes.map(({ message }) => message).join(', ') }
}

interface Comparison {
  readonly from: Moment
  readonly to: Moment
  readonly before: VmState
  readonly after: VmState
  readonly was: Expansion
  readonly is: Expansion
  readonly runs: readonly FieldChange[]
}

async function compare({ from, to, before, after, was, is, runs }: Comparison): Promise<Verdict> {
  const isConfigured = from.config !== to.config
  const changes = changesBetween(was.vmi, is.vmi)
  if (changes.length + runs.length === 0) return { effect: 'unchanged', ...whyUnchanged(to.world, after) }
  const describe = (classification: Classification | undefined): FieldChange[] => [
    ...runs,
    ...changes.map((change) => describeChange(change, { before, after, was, is }, { isConfigured, classification })),
  ]
  const vmi = guestOf(from.world, before.vm)
  if (vmi === undefined) return { effect: 'live', fields: describe(undefined) }
  // The guest may run with something older than what was in force before: what counts for it is the way from there.
  const started = await startStateOf(from.world, before.vm, vmi)
  const startedAs = (started === undefined ? undefined : expansionOf(started, from.config)) ?? was
  const isPending = classify(startedAs, was, vmi, from.config).kind === 'restart'
  const left = classify(startedAs, is, vmi, to.config)
  const isRestart = left.kind === 'restart'
  const pending = isRestart ? 'waits for a restart already' : 'no longer needs the restart that it waits for'
  const obstacles = new Set(left.fields.flatMap(({ message }) => (message === undefined ? [] : [message])))
  return { effect: isRestart ? 'restart' : 'live', fields: describe(left), notes: [...(isPending ? [pending] : []), ...obstacles] }
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
  // What only follows from other values is not classified by itself.
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

/** Starting and stopping is a change of the VM, not of its VMI. */
function runChange({ before, after }: Transition): FieldChange[] {
  const [old, wanted] = [before, after].map((vm) => vm?.spec.runStrategy ?? (vm?.spec.running === true ? 'Always' : 'Halted'))
  if (before === undefined || old === wanted) return []
  const object = referenceTo('VirtualMachine', after.metadata)
  return [{ path: 'virtualMachine.spec.runStrategy', old, new: wanted, effect: 'live', source: 'vm', object }]
}

/** One name may exist in both scopes, and who names no kind easily means the other one. */
function namesakesOf(world: World, vm: VirtualMachine): string[] {
  return families.flatMap((family) => {
    const named = namedObject(vm, family)
    if (named === undefined || world.live({ kind: named.kind, metadata: { ...named } }) !== undefined) return []
    const isCluster = named.kind.includes('Cluster')
    const kind = isCluster ? named.kind.replace('Cluster', '') : named.kind.replace('VirtualMachine', 'VirtualMachineCluster')
    const namespace = vm.metadata.namespace ?? ''
    const namesake = world.live({ kind, metadata: { name: named.name, ...(isCluster ? { namespace } : {}) } })
    return namesake === undefined ? [] : [`there is a ${kind} "${named.name}": name that kind if it is meant`]
  })
}

/** A VM whose type has been edited is told why that does not reach it. */
function whyUnchanged(world: World, { inForce }: VmState): { readonly reason?: string } {
  const reasons = [inForce?.instancetype, inForce?.preference].flatMap((found) => {
    if (found?.revision === undefined) return []
    const live = world.live(found.object)
    const generation = found.object.metadata.generation ?? 0
    if (live === undefined) return [`keeps ${found.object.metadata.name} as captured at generation ${generation}`]
    if (live.metadata?.uid !== found.object.metadata.uid || live.metadata?.generation === generation) return []
    return [
      `captured ${found.object.metadata.name} at generation ${generation}; refresh the VM to take generation ${live.metadata?.generation}`,
    ]
  })
  return reasons.length === 0 ? {} : { reason: reasons.join('; ') }
}
