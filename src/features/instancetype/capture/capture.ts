import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { findInstancetype, findPreference } from '../find/find.ts'
import { isRefreshed, refreshAnnotation, refreshedAnnotation } from '../find/pin.ts'
import type { Found, Lookup } from '../lookup.ts'
import type { Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'
import { CaptureFailed, captureFailure, valueOf, type CaptureStep } from './capture-failed.ts'
import { holderOf } from '../codec/holder.ts'
import type { RevisionFormat } from '../codec/storage-format.ts'
import { captureStatus, type CapturedRef } from './capture-status.ts'
import { storeRevision, type StorePorts } from './store.ts'
import { reuseNames } from './reuse-name.ts'

/** The objects that a VM's matchers select. */
export interface MatchedObjects {
  readonly instancetype: Found<Instancetype> | undefined
  readonly preference: Found<Preference> | undefined
}

/** Result of a capture, with the VM as stored afterwards. */
export type Captured =
  | { readonly vm: VirtualMachine; readonly inForce: MatchedObjects; readonly failure: undefined }
  | { readonly vm: VirtualMachine; readonly inForce: undefined; readonly failure: CaptureFailed }

/** Dependencies of {@link capture}. */
export interface CapturePorts extends StorePorts {
  readonly lookup: Lookup
  /** Format of new revisions. Existing ones are converted by the revision upgrade. */
  readonly format: RevisionFormat
  /**
   * Number of former shared revisions, per family, that stay listed in the status. Owned ones are
   * limited by pruning.
   */
  readonly historyLimit: number
  /**
   * Returns why the VM cannot use this instance type; undefined when it can. An unusable one is not
   * captured.
   */
  readonly objection: (inForce: MatchedObjects) => string | undefined
}

/** Returns the objects that apply to a VM. @throws CaptureFailed, whose message is the API's */
export async function findMatchedObjects(lookup: Lookup, vm: VirtualMachine): Promise<MatchedObjects> {
  const { instancetype, preference } = await search(lookup, vm)
  for (const step of [instancetype, preference]) if (step.kind === 'failed') throw step.failure
  return { instancetype: valueOf(instancetype), preference: valueOf(preference) }
}

/**
 * Stores the matched objects in ControllerRevisions and writes their names into the VM's status, in
 * one patch. Each of the two is stored as soon as it is found, also when the other one fails: the
 * live object may change or be deleted at any time. Every step is idempotent: revisions are named
 * by their content, and no patch is sent when the status is up to date.
 */
export async function capture(ports: CapturePorts, vm: VirtualMachine): Promise<Captured> {
  const found = await search(ports.lookup, vm)
  const known = { instancetype: valueOf(found.instancetype), preference: valueOf(found.preference) }
  const instancetype = withObjection(ports, known, found.instancetype)
  const refs = {
    instancetype: await refFor(ports, vm, 'instancetype', instancetype),
    preference: await refFor(ports, vm, 'preference', found.preference),
  }
  // An objection keeps the instance type from being stored, and is reported before other failures.
  const failed = [instancetype, found.preference, refs.instancetype, refs.preference].find((step) => step.kind === 'failed')
  const recaptured = new Map([
    ...recapturedName(known.instancetype, refs.instancetype),
    ...recapturedName(known.preference, refs.preference),
  ])
  const stored = [...storedName(known.instancetype, refs.instancetype), ...storedName(known.preference, refs.preference)]
  const taken = await reuseNames(ports, vm, stored)
  const pinned = await record(ports, taken, { refs, recaptured, stored, isComplete: failed === undefined })
  return failed === undefined
    ? { vm: pinned, inForce: known, failure: undefined }
    : { vm: pinned, inForce: undefined, failure: failed.failure }
}

async function search(
  lookup: Lookup,
  vm: VirtualMachine,
): Promise<{ readonly instancetype: CaptureStep<Found<Instancetype>>; readonly preference: CaptureStep<Found<Preference>> }> {
  return {
    instancetype: await stepOf(findInstancetype(lookup, vm), 'FailedFindInstancetype'),
    preference: await stepOf(findPreference(lookup, vm), 'FailedFindPreference'),
  }
}

async function stepOf<T>(found: Promise<T | undefined>, reason: CaptureFailed['reason'], prefix?: string): Promise<CaptureStep<T>> {
  try {
    const value = await found
    return value === undefined ? { kind: 'absent' } : { kind: 'done', value }
  } catch (error) {
    return { kind: 'failed', failure: captureFailure(reason, error, prefix) }
  }
}

function withObjection(
  { objection }: CapturePorts,
  known: MatchedObjects,
  step: CaptureStep<Found<Instancetype>>,
): CaptureStep<Found<Instancetype>> {
  const message = known.instancetype === undefined ? undefined : objection(known)
  if (message === undefined) return step
  const prefix = known.instancetype?.revision === undefined ? storeErrorPrefix : ''
  return { kind: 'failed', failure: new CaptureFailed('FailedCreate', `${prefix}${message}`) }
}

async function refFor(
  ports: CapturePorts,
  vm: VirtualMachine,
  family: Family,
  found: CaptureStep<Found<Instancetype | Preference>>,
): Promise<CapturedRef> {
  const matcher = vm.spec[family]
  if (found.kind === 'failed') return found
  if (found.kind === 'absent' || matcher === undefined) return { kind: 'absent' }
  const { object, revision } = found.value
  const name = await stepOf(nameOf(revision) ?? storeRevision(ports, holderOf(vm), object, ports.format), 'FailedCreate', storeErrorPrefix)
  if (name.kind !== 'done') return name
  const { revisionName: _, ...named } = matcher
  const set = Object.fromEntries(Object.entries(named).filter(([, text]) => text !== ''))
  return { kind: 'done', value: { ...set, controllerRevisionRef: { name: name.value } } }
}

function nameOf(revision: ControllerRevision | undefined): Promise<string> | undefined {
  return revision?.metadata.name === undefined ? undefined : Promise.resolve(revision.metadata.name)
}

/** KubeVirt's wording. */
const storeErrorPrefix = 'error encountered while storing instancetype.kubevirt.io controllerRevisions: '

/** References to record, and how they were obtained. */
interface RecordInput {
  readonly refs: Record<Family, CapturedRef>
  /** New names of revisions that were deleted and captured again, by their old names. */
  readonly recaptured: ReadonlyMap<string, string>
  /** Names of revisions that were stored in this pass. */
  readonly stored: readonly string[]
  readonly isComplete: boolean
}

/**
 * Pairs the name of a deleted revision with its new name, which differs when the format has
 * changed. The old name stays valid in manifests.
 */
function recapturedName(found: Found<unknown> | undefined, ref: CapturedRef): readonly (readonly [string, string])[] {
  const name = valueOf(ref)?.controllerRevisionRef?.name
  return found?.lost === undefined || name === undefined || name === found.lost ? [] : [[found.lost, name]]
}

function storedName(found: Found<unknown> | undefined, ref: CapturedRef): readonly string[] {
  const name = valueOf(ref)?.controllerRevisionRef?.name
  return found === undefined || found.revision !== undefined || name === undefined ? [] : [name]
}

/**
 * Patches the two references and `status.steadyvm` if they have changed. A failed part keeps its
 * value.
 */
async function record({ client, format, historyLimit }: CapturePorts, vm: VirtualMachine, outcome: RecordInput): Promise<VirtualMachine> {
  const { refs, ...so } = outcome
  const old = {
    instancetypeRef: vm.status?.instancetypeRef ?? undefined,
    preferenceRef: vm.status?.preferenceRef ?? undefined,
    steadyvm: vm.status?.steadyvm,
  }
  const change = createMergePatch(old, {
    instancetypeRef: refs.instancetype.kind === 'failed' ? old.instancetypeRef : valueOf(refs.instancetype),
    preferenceRef: refs.preference.kind === 'failed' ? old.preferenceRef : valueOf(refs.preference),
    steadyvm: captureStatus(vm, refs, { ...so, format, historyLimit }),
  })
  if (typeof change !== 'object' || change === null) return vm
  // The resourceVersion makes a concurrent write a conflict, also when the VM was deleted and
  // created again.
  const recorded = await patchStatus(client, virtualMachines, vm, change)
  const asked = vm.metadata.annotations?.[refreshAnnotation] ?? ''
  return !so.isComplete || asked === '' || isRefreshed(recorded, asked) ? recorded : recordInAnnotation(client, recorded, asked)
}

/** Records the refresh in an annotation when the status schema of the cluster has dropped it. */
function recordInAnnotation(client: CapturePorts['client'], vm: VirtualMachine, refresh: string): Promise<VirtualMachine> {
  return patchIfUnchanged(client, virtualMachines, vm, { metadata: { annotations: { [refreshedAnnotation]: refresh } } })
}
