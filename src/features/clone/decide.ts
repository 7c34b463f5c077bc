import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineClone } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/** Observed state of a clone. */
export interface Observed {
  readonly clone: VirtualMachineClone
  /** The snapshot in between, or the one that is the source. */
  readonly snapshot: VirtualMachineSnapshot | undefined
  readonly content: VirtualMachineSnapshotContent | undefined
  readonly restore: VirtualMachineRestore | undefined
  readonly target: VirtualMachine | undefined
}

/** The next action. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'takeSnapshot' }
  | { readonly kind: 'restore'; readonly content: VirtualMachineSnapshotContent }
  | { readonly kind: 'waitForSnapshot' | 'waitForRestore'; readonly why: string }
  | { readonly kind: 'waitForTarget' }
  | { readonly kind: 'succeed'; readonly target: VirtualMachine }
  | { readonly kind: 'fail'; readonly why: string }
  /** Only objects that the clone has created. */
  | { readonly kind: 'cleanUp'; readonly snapshot: VirtualMachineSnapshot | undefined; readonly restore: VirtualMachineRestore | undefined }

/** Name of the snapshot that a clone of a VM creates. */
export function snapshotNameOf({ metadata, spec }: VirtualMachineClone): string {
  return isOfSnapshot(spec.source) ? spec.source.name : `tmp-snapshot-${metadata.uid ?? ''}`
}

/** Name of the restore that creates the clone. */
export function restoreNameOf({ metadata }: VirtualMachineClone): string {
  return `tmp-restore-${metadata.uid ?? ''}`
}

/** Name of the new VM. An unnamed one is named after the source and the clone. */
export function targetNameOf({ metadata, spec }: VirtualMachineClone): string {
  const name = spec.target?.name ?? ''
  return name === '' ? `clone-${spec.source.name.slice(0, 40)}-${(metadata.uid ?? '').slice(0, 8)}` : name
}

/** Reports whether the source of a clone is a snapshot. */
export function isOfSnapshot({ kind }: { readonly kind: string }): boolean {
  return kind === 'VirtualMachineSnapshot'
}

/**
 * Decides the next step of a clone: a snapshot, a restore of it to a VM that is not there yet, and
 * nothing of the two at the end.
 */
export function decide(observed: Observed): Step {
  const { clone } = observed
  if (isBeingDeleted(clone)) return { kind: 'none' }
  const { phase } = clone.status ?? {}
  return phase === 'Succeeded' || phase === 'Failed' ? decideCleanUp(observed) : decideClone(observed)
}

function decideClone({ clone, snapshot, content, restore, target }: Observed): Step {
  if (snapshot === undefined) {
    if (!isOfSnapshot(clone.spec.source)) return { kind: 'takeSnapshot' }
    return { kind: 'waitForSnapshot', why: `VirtualMachineSnapshot "${clone.spec.source.name}" does not exist` }
  }
  if (snapshot.status?.phase === 'Failed') return { kind: 'fail', why: `The snapshot has failed: ${snapshot.status.error?.message ?? ''}` }
  if (snapshot.status?.readyToUse !== true || content === undefined)
    return { kind: 'waitForSnapshot', why: findCondition(snapshot.status?.conditions, 'Progressing')?.reason ?? 'Snapshot in progress' }
  const { excludedVolumes = [] } = snapshot.status.snapshotVolumes ?? {}
  // Both machines would write to the same disk.
  if (excludedVolumes.length > 0) return { kind: 'fail', why: `These volumes cannot be cloned: ${excludedVolumes.join(', ')}` }
  if (restore === undefined) return { kind: 'restore', content }
  if (isTrue(restore.status?.conditions, 'Failure'))
    return { kind: 'fail', why: `The restore has failed: ${findCondition(restore.status?.conditions, 'Failure')?.reason ?? ''}` }
  if (restore.status?.complete !== true)
    return { kind: 'waitForRestore', why: findCondition(restore.status?.conditions, 'Progressing')?.reason ?? 'Restore in progress' }
  return target === undefined ? { kind: 'waitForTarget' } : { kind: 'succeed', target }
}

function decideCleanUp({ clone, snapshot, restore }: Observed): Step {
  const own = isOfSnapshot(clone.spec.source) ? undefined : unlessGoing(snapshot)
  const left = unlessGoing(restore)
  return own === undefined && left === undefined ? { kind: 'none' } : { kind: 'cleanUp', snapshot: own, restore: left }
}

function unlessGoing<T extends { readonly metadata: { readonly deletionTimestamp?: string } }>(object: T | undefined): T | undefined {
  return object !== undefined && isBeingDeleted(object) ? undefined : object
}
