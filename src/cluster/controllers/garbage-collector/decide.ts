import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { foregroundFinalizer, type GraphNode, orphanFinalizer, waitsForDependents } from './owner-graph.ts'

/** State of an owner. `unresolved`: its kind is unknown, so that it must be assumed to exist. */
export type OwnerState = 'solid' | 'waiting' | 'absent' | 'unresolved'

/** An owner reference and what it amounts to. */
export interface ResolvedOwner {
  readonly reference: OwnerReference
  readonly state: OwnerState
}

/** Propagation policy of a deletion. */
export type Propagation = 'Orphan' | 'Background' | 'Foreground'

/**
 * Decision of the garbage collector about one object.
 *
 *     deleting, orphan finalizer      -> release its dependents, then drop the finalizer
 *     deleting, foreground finalizer  -> drop the finalizer, or delete the dependents that block it
 *     some owner exists               -> drop the references to owners that do not
 *     no owner exists                 -> delete it
 */
export type GarbageDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'orphanDependents'; readonly dependents: readonly GraphNode[] }
  | { readonly kind: 'dropFinalizer'; readonly finalizer: string }
  | { readonly kind: 'lookAtDependents'; readonly dependents: readonly GraphNode[] }
  | { readonly kind: 'keepOwners'; readonly owners: readonly OwnerReference[] }
  | { readonly kind: 'delete'; readonly propagation: Propagation; readonly unblock: boolean }

/**
 * Decides about an object that is being deleted; its dependents are those that really refer to it.
 * Pure.
 */
export function decideDeleting(node: GraphNode, dependents: readonly GraphNode[]): GarbageDecision {
  if (node.finalizers.includes(orphanFinalizer)) {
    return dependents.length === 0 ? { kind: 'dropFinalizer', finalizer: orphanFinalizer } : { kind: 'orphanDependents', dependents }
  }
  if (!node.finalizers.includes(foregroundFinalizer)) return { kind: 'nothing' }
  const blocks = ({ owners }: GraphNode): boolean => owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion === true)
  const dropped: GarbageDecision = { kind: 'dropFinalizer', finalizer: foregroundFinalizer }
  return dependents.some(blocks) ? { kind: 'lookAtDependents', dependents } : dropped
}

/** Decides about an object that lives, by the state of its owners. Pure. */
export function decideLiving(node: GraphNode, owners: readonly ResolvedOwner[], dependents: readonly GraphNode[]): GarbageDecision {
  if (owners.length === 0) return { kind: 'nothing' }
  const kept = owners.filter(({ state }) => state === 'solid' || state === 'unresolved')
  if (kept.length === owners.length) return { kind: 'nothing' }
  if (kept.length > 0) return { kind: 'keepOwners', owners: kept.map(({ reference }) => reference) }
  const isAwaited = owners.some(({ state }) => state === 'waiting')
  if (!isAwaited || dependents.length === 0) return { kind: 'delete', propagation: ownPropagation(node), unblock: false }
  // In a circle the owner that waits for us is also one that we would wait for: one of the two must
  // let go.
  return { kind: 'delete', propagation: 'Foreground', unblock: dependents.some(waitsForDependents) }
}

function ownPropagation(node: GraphNode): Propagation {
  if (node.finalizers.includes(orphanFinalizer)) return 'Orphan'
  return node.finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
}
