import { isSnapshotFinal } from '#api/snapshot/v1beta1/phase.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import { contentFinalizer, snapshotFinalizer, sourceFinalizer } from '../names.ts'
import { decideVolumes, type ObservedVolumes, type VolumeStep } from '../volumes/decide-volumes.ts'

/** Observed state of a snapshot. */
export interface Observed {
  readonly snapshot: VirtualMachineSnapshot
  /** The VM of the name that the snapshot's source has. */
  readonly vm: VirtualMachine | undefined
  readonly content: VirtualMachineSnapshotContent | undefined
  /** Volumes that are still to be backed up. */
  readonly volumes?: ObservedVolumes | undefined
  /** The guest whose node agent is asked to copy volumes for the snapshot. */
  readonly copying?: VirtualMachineInstance | undefined
  /** Pods that attach targets of copies. */
  readonly attached?: readonly Pod[]
  /** Names of the restores from this snapshot in progress. */
  readonly restores: readonly string[]
  /** Number of revisions that the snapshot owns. */
  readonly revisions: number
}

/** The next action. The following one is decided when the caches show its result. */
export type Step =
  | { readonly kind: 'none' }
  /** Takes the snapshot under protection, and frees it. */
  | { readonly kind: 'protect' | 'release' }
  /** Locks the VM exclusively, and protects it until the snapshot is complete. */
  | { readonly kind: 'lock' | 'protectSource'; readonly vm: VirtualMachine }
  | { readonly kind: 'unlock'; readonly vm: VirtualMachine }
  /** Copies the revisions of the VM, and creates the content. */
  | { readonly kind: 'capture'; readonly vm: VirtualMachine }
  /** Removes the owner of content that is to outlive the snapshot. */
  | { readonly kind: 'disown'; readonly content: VirtualMachineSnapshotContent }
  | { readonly kind: 'completeContent'; readonly content: VirtualMachineSnapshotContent }
  | { readonly kind: 'backUp'; readonly content: VirtualMachineSnapshotContent; readonly step: VolumeStep }
  /** Ends what the node agent does for the snapshot. */
  | { readonly kind: 'withdraw'; readonly vmi: VirtualMachineInstance }
  | { readonly kind: 'detach'; readonly pods: readonly Pod[] }
  | { readonly kind: 'succeed'; readonly content: VirtualMachineSnapshotContent }
  | { readonly kind: 'wait'; readonly why: string }
  /** `isLate`: what it has waited for until then is the reason. */
  | { readonly kind: 'fail'; readonly why: string; readonly isLate?: true }
  /** The snapshot is being deleted. Content that is to stay becomes the owner of the revisions. */
  | { readonly kind: 'handOver' | 'deleteContent' | 'releaseContent'; readonly content: VirtualMachineSnapshotContent }
  | { readonly kind: 'waitForRestores'; readonly restores: readonly string[] }

/**
 * Returns the deadline of a snapshot in milliseconds since the epoch: 5 minutes after its creation
 * by default. 0 means none.
 */
export function deadlineOf({ metadata, spec }: VirtualMachineSnapshot): number {
  // Admission refuses an invalid duration.
  const ms = durationMs(spec.failureDeadline ?? '') ?? 5 * 60_000
  return ms === 0 ? Infinity : Date.parse(metadata.creationTimestamp ?? '') + ms
}

/**
 * Decides the next action for a snapshot. Every action is derived from stored state, so that it may
 * be interrupted and repeated.
 */
export function decide(observed: Observed, nowMs: number): Step {
  const { snapshot, vm, content } = observed
  const held = holds(snapshot, vm) ? vm : undefined
  if (isBeingDeleted(snapshot)) return decideEnd(observed) ?? decideDeletion(observed)
  if (isSnapshotFinal(snapshot)) return decideEnd(observed) ?? decideRemains(observed)
  if (!has(snapshot, snapshotFinalizer)) return { kind: 'protect' }
  if (content === undefined) return decideCapture(observed, nowMs)
  // Owned content is garbage-collected with the snapshot. Older versions created it without owner.
  if (isToStay(snapshot) && isOwnedBy(content, snapshot)) return { kind: 'disown', content }
  if (content.status?.readyToUse === true) return decideEnd(observed) ?? { kind: 'succeed', content }
  if (observed.volumes === undefined) return { kind: 'completeContent', content }
  if (held === undefined) return { kind: 'fail', why: 'The lock of the source was lost while its volumes were copied' }
  if (nowMs >= deadlineOf(snapshot)) return missedDeadline
  const step = decideVolumes(observed.volumes)
  return step.kind === 'fail' ? { kind: 'fail', why: step.why } : { kind: 'backUp', content, step }
}

const missedDeadline: Step = { kind: 'fail', why: 'snapshot deadline exceeded', isLate: true }

/** What is left on the VM, in the order in which it is removed: the guest can change afterwards. */
function decideEnd({ snapshot, vm, copying, attached = [] }: Observed): Step | undefined {
  if (copying !== undefined) return { kind: 'withdraw', vmi: copying }
  if (attached.length > 0) return { kind: 'detach', pods: attached }
  return holds(snapshot, vm) ? { kind: 'unlock', vm } : undefined
}

/** A snapshot that has failed keeps no incomplete copies. */
function decideRemains({ content }: Observed): Step {
  if (content === undefined || content.status?.readyToUse === true) return { kind: 'none' }
  if ((content.spec.volumeBackups ?? []).length === 0) return { kind: 'none' }
  if (!isBeingDeleted(content)) return { kind: 'deleteContent', content }
  return has(content, contentFinalizer) ? { kind: 'releaseContent', content } : { kind: 'none' }
}

function decideCapture({ snapshot, vm }: Observed, nowMs: number): Step {
  const held = holds(snapshot, vm)
  if (nowMs >= deadlineOf(snapshot)) {
    return held ? { kind: 'unlock', vm } : missedDeadline
  }
  if (vm === undefined) return { kind: 'wait', why: 'Source does not exist' }
  if (isBeingDeleted(vm) && !has(vm, sourceFinalizer)) return { kind: 'wait', why: 'Source is being deleted' }
  const { snapshotInProgress = '', restoreInProgress = '' } = vm.status ?? {}
  if (restoreInProgress !== '') return { kind: 'wait', why: `Source is being restored by "${restoreInProgress}"` }
  if (snapshotInProgress !== '' && !held) return { kind: 'wait', why: `Source is locked by snapshot "${snapshotInProgress}"` }
  if (!held) return { kind: 'lock', vm }
  return has(vm, sourceFinalizer) ? { kind: 'capture', vm } : { kind: 'protectSource', vm }
}

function decideDeletion({ snapshot, content, restores, revisions }: Observed): Step {
  if (!has(snapshot, snapshotFinalizer)) return { kind: 'none' }
  if (restores.length > 0) return { kind: 'waitForRestores', restores }
  if (content === undefined) return { kind: 'release' }
  if (isToStay(snapshot) && isComplete(content) && !isOwnedBy(content, snapshot) && !isBeingDeleted(content)) {
    return revisions > 0 ? { kind: 'handOver', content } : { kind: 'release' }
  }
  if (!isBeingDeleted(content)) return { kind: 'deleteContent', content }
  return has(content, contentFinalizer) ? { kind: 'releaseContent', content } : { kind: 'release' }
}

/** Content with incomplete copies never stays. */
function isComplete({ spec, status }: VirtualMachineSnapshotContent): boolean {
  return status?.readyToUse === true || (spec.volumeBackups ?? []).length === 0
}

function isToStay({ spec }: VirtualMachineSnapshot): boolean {
  return spec.deletionPolicy === 'Retain'
}

/** Reports whether this snapshot holds the lock of the VM. */
export function holds({ metadata }: VirtualMachineSnapshot, vm: VirtualMachine | undefined): vm is VirtualMachine {
  return vm?.status?.snapshotInProgress === metadata.name && metadata.name !== undefined
}

function has({ metadata }: { readonly metadata: { readonly finalizers?: readonly string[] } }, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true
}
