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

/** Result of a capture for one of the two references. */
export type CapturedRef = CaptureStep<InstancetypeStatusRef>

/** Inputs of the status that a capture writes. */
export interface CaptureResult {
  /** True if both references were captured. */
  readonly isComplete: boolean
  /** New names of revisions that were deleted and captured again, by their old names. */
  readonly recaptured: ReadonlyMap<string, string>
  /** Names of revisions that were stored in this pass. They no longer stand for a replacement. */
  readonly stored: readonly string[]
  readonly format: RevisionFormat
  readonly historyLimit: number
}

/** Returns `status.steadyvm` after a capture. Parts whose capture failed keep their old value. */
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

/** Drops replacements of names that were stored again in this pass: such a name means itself. */
function replacedAfter(vm: VirtualMachine, { recaptured: again, stored }: CaptureResult): Pick<VirtualMachineSteadyStatus, 'replaced'> {
  const entries = Object.entries(addReplacedNames(replacedNames(vm), again)).filter(([name]) => !stored.includes(name))
  return entries.length === 0 ? {} : { replaced: Object.fromEntries(entries) }
}

/**
 * Records `revisionName` of the spec. Removing it from the spec asks for a refresh, which can only
 * be detected by comparing with the recorded name.
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

/** Revisions that a VM has had so far, before and after a capture. */
export interface HistoryChange {
  readonly history?: readonly string[] | undefined
  readonly before?: string | undefined
  readonly now?: string | undefined
}

/**
 * Returns the revisions that a VM has had, newest first. Owned revisions are found by their owner
 * and need no record; shared ones are kept from the collector only by being listed here. Rolling
 * back does not change the order, so that a user can go back further.
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
  // The current revision is in the reference already.
  return kept.some((name) => name !== now) ? kept : []
}
