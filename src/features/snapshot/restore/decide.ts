import { isRestoreFinal } from '#api/snapshot/v1beta1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { restoringAnnotation } from '#features/vm/index.ts'
import { lastRestoreAnnotation, restoreFinalizer, restoreMark } from '../names.ts'
import { isSourceBeingDeleted } from './source-deletion.ts'

/** Observed state of a restore. */
export interface Observed {
  readonly restore: VirtualMachineRestore
  readonly snapshot: VirtualMachineSnapshot | undefined
  readonly content: VirtualMachineSnapshotContent | undefined
  /** The VM to restore, if it exists. */
  readonly vm: VirtualMachine | undefined
  /** The guest of that name. */
  readonly vmi: VirtualMachineInstance | undefined
}

/** Source of a restore. */
export interface Source {
  readonly snapshot: VirtualMachineSnapshot
  readonly content: VirtualMachineSnapshotContent
}

/** The next action. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'protect' | 'release' }
  /**
   * Makes the VM the owner of the restore: the restore is deleted with it, and never creates it
   * again.
   */
  | { readonly kind: 'belong'; readonly vm: VirtualMachine }
  /** Takes hold of the VM: from then on it needs the content. */
  | { readonly kind: 'lock'; readonly vm: VirtualMachine; readonly source: Source }
  | { readonly kind: 'unlock'; readonly vm: VirtualMachine }
  /** Asks the guest to stop. */
  | { readonly kind: 'stop'; readonly vm: VirtualMachine; readonly vmi: VirtualMachineInstance }
  | { readonly kind: 'create'; readonly source: Source }
  | { readonly kind: 'rewrite'; readonly vm: VirtualMachine; readonly content: VirtualMachineSnapshotContent }
  /** Gives the VM the hardware of the snapshot, and unlocks it. */
  | { readonly kind: 'pin'; readonly vm: VirtualMachine; readonly content: VirtualMachineSnapshotContent }
  /** A VM that was created, but has no hardware yet, is deleted together with the restore. */
  | { readonly kind: 'discard'; readonly vm: VirtualMachine }
  | { readonly kind: 'succeed' }
  | { readonly kind: 'wait'; readonly why: string; readonly until?: number }
  | { readonly kind: 'fail'; readonly why: string }

/** Milliseconds that a guest may take to stop, unless the restore's policy says otherwise. */
const graceMs = 5 * 60_000

/**
 * Decides the next action for a restore. An existing VM is locked, rewritten, and unlocked in the
 * same write that names its revisions; a new one is created halted, with an annotation that keeps
 * the VM controller from capturing it, which is removed last. The VM shows which steps are done.
 */
export function decide(observed: Observed, nowMs: number): Step {
  const { restore, vm } = observed
  const held = vm !== undefined && isHeld(restore, vm) ? vm : undefined
  if (isBeingDeleted(restore)) return decideDeletion(observed, held)
  if (isRestoreFinal(restore)) {
    // Another controller had started when the restore was abandoned, or has started again when it
    // was complete and its VM had been deleted.
    if (hasOnlyBegun(restore, vm)) return { kind: 'discard', vm }
    return held === undefined ? { kind: 'none' } : { kind: 'unlock', vm: held }
  }
  if (restore.metadata.finalizers?.includes(restoreFinalizer) !== true) return { kind: 'protect' }
  if (vm !== undefined && isTarget(observed, vm) && !hasOwner(restore)) return { kind: 'belong', vm }
  if (vm !== undefined && isMarked(restore, vm) && !isHeld(restore, vm) && !isNew(restore, vm)) return { kind: 'succeed' }
  return decideRestore(observed, nowMs)
}

/**
 * Reports whether a VM is the one to restore, or was created for it, and does not only have its
 * name.
 */
function isTarget({ restore, snapshot }: Observed, vm: VirtualMachine): boolean {
  return !isBeingDeleted(vm) && (isMarked(restore, vm) || vm.metadata.uid === snapshot?.status?.sourceUID)
}

/** Also the clone that a restore belongs to. */
function hasOwner({ metadata }: VirtualMachineRestore): boolean {
  return (metadata.ownerReferences ?? []).length > 0
}

/** Reports whether the VM to restore existed and was deleted since. */
function hasLostTarget({ metadata }: VirtualMachineRestore): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'VirtualMachine') === true
}

function decideRestore({ restore, snapshot, content, vm, vmi }: Observed, nowMs: number): Step {
  const name = restore.spec.virtualMachineSnapshotName
  if (vm === undefined && hasLostTarget(restore)) return { kind: 'fail', why: 'Restore target was deleted' }
  if (snapshot === undefined) return { kind: 'wait', why: `VirtualMachineSnapshot "${name}" does not exist` }
  if (snapshot.status?.phase === 'Failed') return { kind: 'fail', why: `VirtualMachineSnapshot "${name}" has failed` }
  const isBegun = vm !== undefined && (isHeld(restore, vm) || isMarked(restore, vm))
  // A snapshot that is being deleted waits for its restores: a restore that waits for the snapshot
  // would wait for ever.
  if (!isBegun && isSourceBeingDeleted(snapshot, content)) return { kind: 'fail', why: `VirtualMachineSnapshot "${name}" is being deleted` }
  if (snapshot.status?.readyToUse !== true) return { kind: 'wait', why: `VirtualMachineSnapshot "${name}" is not ready to use` }
  if (content?.spec.source.virtualMachine === undefined)
    return { kind: 'wait', why: `The content of VirtualMachineSnapshot "${name}" does not exist` }
  if (vm === undefined) return { kind: 'create', source: { snapshot, content } }
  if (isBeingDeleted(vm)) return { kind: 'wait', why: 'Target is being deleted' }
  if (isMarked(restore, vm)) return { kind: 'pin', vm, content }
  if (vm.metadata.uid !== snapshot.status.sourceUID)
    return { kind: 'fail', why: 'restore source and restore target are different but restore target already exists' }
  return decideExisting({ restore, vm, vmi, source: { snapshot, content } }, nowMs)
}

function decideExisting(
  {
    restore,
    vm,
    vmi,
    source,
  }: Pick<Observed, 'restore' | 'vmi'> & {
    readonly vm: VirtualMachine
    readonly source: Source
  },
  nowMs: number,
): Step {
  const { snapshotInProgress = '', restoreInProgress = '' } = vm.status ?? {}
  if (snapshotInProgress !== '') return { kind: 'wait', why: `Target is locked by snapshot "${snapshotInProgress}"` }
  const isOurs = restoreInProgress === restore.metadata.name
  if (restoreInProgress !== '' && !isOurs) return { kind: 'wait', why: `Target is being restored by "${restoreInProgress}"` }
  if (vmi === undefined) return isOurs ? { kind: 'rewrite', vm, content: source.content } : { kind: 'lock', vm, source }
  // It was started while the lock was being written.
  if (isOurs) return { kind: 'unlock', vm }
  return decideNotReady(restore, vm, { vmi, nowMs })
}

function decideNotReady(
  { metadata, spec }: VirtualMachineRestore,
  vm: VirtualMachine,
  { vmi, nowMs }: { readonly vmi: VirtualMachineInstance; readonly nowMs: number },
): Step {
  const why = 'Waiting for target to be ready'
  switch (spec.targetReadinessPolicy ?? 'WaitGracePeriod') {
    case 'FailImmediate':
      return { kind: 'fail', why: 'Restore target not ready' }
    case 'StopTarget':
      return { kind: 'stop', vm, vmi }
    case 'WaitEventually':
      return { kind: 'wait', why }
    case 'WaitGracePeriod': {
      const until = Date.parse(metadata.creationTimestamp ?? '') + graceMs
      return nowMs >= until ? { kind: 'fail', why: 'Restore target failed to be ready within 5m0s' } : { kind: 'wait', why, until }
    }
  }
}

function decideDeletion({ restore, vm }: Observed, held: VirtualMachine | undefined): Step {
  if (restore.metadata.finalizers?.includes(restoreFinalizer) !== true) return { kind: 'none' }
  if (hasOnlyBegun(restore, vm)) return { kind: 'discard', vm }
  return held === undefined ? { kind: 'release' } : { kind: 'unlock', vm: held }
}

function isHeld({ metadata }: VirtualMachineRestore, { status }: VirtualMachine): boolean {
  return status?.restoreInProgress === metadata.name && metadata.name !== undefined
}

function isMarked(restore: VirtualMachineRestore, { metadata }: VirtualMachine): boolean {
  return metadata.annotations?.[lastRestoreAnnotation] === restoreMark(restore)
}

/**
 * Reports whether there is a VM that the restore has begun to create and that has no hardware yet.
 */
function hasOnlyBegun(restore: VirtualMachineRestore, vm: VirtualMachine | undefined): vm is VirtualMachine {
  return vm !== undefined && isMarked(restore, vm) && isNew(restore, vm)
}

function isNew({ metadata }: VirtualMachineRestore, vm: VirtualMachine): boolean {
  return vm.metadata.annotations?.[restoringAnnotation] === metadata.name
}
