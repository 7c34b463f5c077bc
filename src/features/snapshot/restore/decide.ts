import { isRestoreFinal } from '#api/snapshot/v1beta1/phase.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { restoringAnnotation } from '#features/vm/index.ts'
import { lastRestoreAnnotation, restoreFinalizer, restoreMark } from '../names.ts'
import { isSourceBeingDeleted } from './source-deletion.ts'

import { decideFilling, unadopted, type FillingStep, type RestoredLook } from './volumes/decide-filling.ts'
import { restoredSpec } from './restored-vm.ts'
import { obsoleteDataVolumes } from './volumes/restored-volumes.ts'

/** Observed state of a restore. */
export interface Observed {
  readonly restore: VirtualMachineRestore
  readonly snapshot: VirtualMachineSnapshot | undefined
  readonly content: VirtualMachineSnapshotContent | undefined
  /** The VM to restore, if it exists. */
  readonly vm: VirtualMachine | undefined
  /** The guest of that name. */
  readonly vmi: VirtualMachineInstance | undefined
  /** Volumes that the restore creates. */
  readonly looks?: readonly RestoredLook[]
  /** DataVolumes that the restored VM no longer uses. */
  readonly obsolete?: readonly DataVolume[]
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
  /** Creates volumes with the content of the snapshot. */
  | { readonly kind: 'fill'; readonly content: VirtualMachineSnapshotContent; readonly step: FillingStep }
  /** Stores the names of DataVolumes that the VM is about to give up. */
  | { readonly kind: 'noteObsolete'; readonly names: readonly string[] }
  /** Gives the restored volumes to the VM. */
  | { readonly kind: 'adopt'; readonly vm: VirtualMachine; readonly volumes: readonly DataVolume[] }
  /** Deletes what the VM gave up. */
  | { readonly kind: 'prune'; readonly volumes: readonly DataVolume[] }
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
  if (vm !== undefined && isMarked(restore, vm) && !isHeld(restore, vm) && !isNew(restore, vm)) {
    const { obsolete = [] } = observed
    return obsolete.length > 0 ? { kind: 'prune', volumes: obsolete } : { kind: 'succeed' }
  }
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

function decideRestore({ restore, snapshot, content, vm, vmi, looks = [] }: Observed, nowMs: number): Step {
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
  if (vm === undefined) return decideFill(restore, { content, looks, replaces: false }) ?? { kind: 'create', source: { snapshot, content } }
  if (isBeingDeleted(vm)) return { kind: 'wait', why: 'Target is being deleted' }
  if (isMarked(restore, vm)) return decideAdoption(restore, vm, looks) ?? { kind: 'pin', vm, content }
  if (vm.metadata.uid !== snapshot.status.sourceUID)
    return { kind: 'fail', why: 'restore source and restore target are different but restore target already exists' }
  return decideExisting({ restore, vm, vmi, source: { snapshot, content }, looks }, nowMs)
}

function decideFill(
  restore: VirtualMachineRestore,
  {
    content,
    looks,
    replaces,
  }: { readonly content: VirtualMachineSnapshotContent; readonly looks: readonly RestoredLook[]; readonly replaces: boolean },
): Step | undefined {
  const step = decideFilling(restore, looks, replaces)
  if (step === undefined) return undefined
  return step.kind === 'fail' ? { kind: 'fail', why: step.why } : { kind: 'fill', content, step }
}

/** While the restore owns the volumes, they are deleted with it. */
function decideAdoption(restore: VirtualMachineRestore, vm: VirtualMachine, looks: readonly RestoredLook[] = []): Step | undefined {
  const volumes = unadopted(restore, looks)
  return volumes.length === 0 ? undefined : { kind: 'adopt', vm, volumes }
}

/** The names are stored before the VM gives them up: afterwards nothing shows them. */
function decideRewrite(
  restore: VirtualMachineRestore,
  vm: VirtualMachine,
  { content, looks }: { readonly content: VirtualMachineSnapshotContent; readonly looks: readonly RestoredLook[] },
): Step {
  const step = decideFill(restore, { content, looks, replaces: true })
  if (step !== undefined) return step
  const volumes = looks.map(({ volume }) => volume)
  const names = obsoleteDataVolumes(vm.spec, restoredSpec(vm, content.spec.source.virtualMachine ?? {}, volumes))
  if (!semanticEqual(restore.status?.deletedDataVolumes ?? [], names)) return { kind: 'noteObsolete', names }
  return { kind: 'rewrite', vm, content }
}

function decideExisting(
  {
    restore,
    vm,
    vmi,
    source,
    looks,
  }: Pick<Observed, 'restore' | 'vmi'> & {
    readonly looks: readonly RestoredLook[]
    readonly vm: VirtualMachine
    readonly source: Source
  },
  nowMs: number,
): Step {
  const { snapshotInProgress = '', restoreInProgress = '' } = vm.status ?? {}
  if (snapshotInProgress !== '') return { kind: 'wait', why: `Target is locked by snapshot "${snapshotInProgress}"` }
  const isOurs = restoreInProgress === restore.metadata.name
  if (restoreInProgress !== '' && !isOurs) return { kind: 'wait', why: `Target is being restored by "${restoreInProgress}"` }
  if (vmi === undefined) return isOurs ? decideRewrite(restore, vm, { content: source.content, looks }) : { kind: 'lock', vm, source }
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

function decideDeletion({ restore, vm, looks }: Observed, held: VirtualMachine | undefined): Step {
  if (restore.metadata.finalizers?.includes(restoreFinalizer) !== true) return { kind: 'none' }
  if (hasOnlyBegun(restore, vm)) return { kind: 'discard', vm }
  // The VM uses the volumes, and must not lose them with the restore.
  const adoption = vm !== undefined && isMarked(restore, vm) ? decideAdoption(restore, vm, looks) : undefined
  if (adoption !== undefined) return adoption
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
