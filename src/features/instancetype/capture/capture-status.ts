import type {
  InstancetypeStatusRef,
  PinnedHardwareStatus,
  VirtualMachine,
  VirtualMachineSteadyStatus,
} from '#api/kubevirt/v1/virtual-machine.ts'
import { refreshAnnotation, refreshedAnnotation } from '../find/pin.ts'
import { addReplacedNames, replacedNames } from '../find/replaced-names.ts'
import type { Family } from '../matcher.ts'
import { valueOf, type CaptureStep } from './capture-failed.ts'
import { hasSharedName } from '../codec/revision-name.ts'
import type { RevisionFormat } from '../codec/storage-format.ts'

/**
 * What a capture has made of one of the two references: undefined when the VM names no such object
 * any more.
 */
export type CapturedRef = CaptureStep<InstancetypeStatusRef>

/** What must be known to remember a capture. */
export interface CaptureResult {
  /** Whether both references could be taken. */
  readonly isComplete: boolean
  /** New names of revisions that were deleted and taken again. */
  readonly recaptured: ReadonlyMap<string, string>
  /** Names of revisions that were stored just now: what they say is what they mean. */
  readonly stored: readonly string[]
  readonly format: RevisionFormat
  readonly historyLimit: number
}

/**
 * What must be remembered of how the references of a VM came about. What has failed stays as it
 * was.
 */
export function captureStatus(
  vm: VirtualMachine,
  refs: Record<Family, CapturedRef>,
  so: CaptureResult,
): VirtualMachineSteadyStatus | undefined {
  const { instancetype: _i, preference: _p, replaced: _r, refresh: handled, ...rest } = vm.status?.steadyvm ?? {}
  const asked = vm.metadata.annotations?.[refreshAnnotation]
  const refresh = so.isComplete && !isRecordedInAnnotation(vm, asked) ? asked : handled
  const next: VirtualMachineSteadyStatus = {
    ...rest,
    ...replacedAfter(vm, so),
    ...familyStatus(vm, 'instancetype', refs.instancetype, so),
    ...familyStatus(vm, 'preference', refs.preference, so),
    ...(refresh === undefined ? {} : { refresh }),
  }
  return Object.keys(next).length === 0 ? undefined : next
}

function isRecordedInAnnotation({ metadata }: VirtualMachine, asked: string | undefined): boolean {
  return asked !== undefined && metadata.annotations?.[refreshedAnnotation] === asked
}

/**
 * A name that was given up, and is taken anew for what it holds, stands for nothing else any more.
 */
function replacedAfter(vm: VirtualMachine, { recaptured: again, stored }: CaptureResult): Pick<VirtualMachineSteadyStatus, 'replaced'> {
  const entries = Object.entries(addReplacedNames(replacedNames(vm), again)).filter(([name]) => !stored.includes(name))
  return entries.length === 0 ? {} : { replaced: Object.fromEntries(entries) }
}

/**
 * Taking the revision's name away from the spec asks for the newest generation: that can only be
 * seen by who remembers that there was one.
 */
function familyStatus(
  vm: VirtualMachine,
  family: Family,
  step: CapturedRef,
  so: CaptureResult,
): Partial<Record<Family, PinnedHardwareStatus>> {
  const old = vm.status?.steadyvm?.[family]
  if (step.kind === 'failed') return old === undefined ? {} : { [family]: old }
  const ref = valueOf(step)
  const [before, now] = [vm.status?.[`${family}Ref`]?.controllerRevisionRef?.name, ref?.controllerRevisionRef?.name]
  const { specRevisionName: _s, newerGeneration, history, ...rest } = old ?? {}
  const specRevisionName = vm.spec[family]?.revisionName ?? ''
  const nextHistory = updateHistory({ history, before, now }, so)
  const next: PinnedHardwareStatus = {
    ...(ref === undefined ? {} : rest),
    ...(specRevisionName === '' ? {} : { specRevisionName }),
    ...(before === now && newerGeneration !== undefined && ref !== undefined ? { newerGeneration } : {}),
    ...(nextHistory.length === 0 ? {} : { history: nextHistory }),
  }
  return Object.keys(next).length === 0 ? {} : { [family]: next }
}

/** What a VM has taken so far, and what it takes now. */
export interface HistoryChange {
  readonly history?: readonly string[] | undefined
  readonly before?: string | undefined
  readonly now?: string | undefined
}

/**
 * The revisions that a VM has taken, newest first. Where it owns them all, nobody has to remember:
 * they are found by their owner. A shared one is found, and kept, only because it is named here.
 * Going back to one leaves the order as it was, so that one can go back further.
 */
export function updateHistory(
  { history, before, now }: HistoryChange,
  { format, historyLimit }: Pick<CaptureResult, 'format' | 'historyLimit'>,
): string[] {
  const known = history ?? (before === undefined ? [] : [before])
  if (format.sharing === 'own' && !known.some(hasSharedName)) return []
  const taken = now === undefined || known.includes(now) ? known : [now, ...known]
  let left = historyLimit
  const kept = taken.filter((name) => name === now || left-- > 0)
  // What is in force alone is in the reference already.
  return kept.some((name) => name !== now) ? kept : []
}
