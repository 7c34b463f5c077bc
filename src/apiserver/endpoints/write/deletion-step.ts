import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { DeleteQuery } from '#apiserver/request/api-request.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { withMetadata } from '#apiserver/codec/metadata.ts'

/** The garbage collector removes the owner from all dependents, then this finalizer. */
const orphanFinalizer = 'orphan'
/** The garbage collector deletes the blocking dependents, then removes this finalizer. */
const foregroundFinalizer = 'foregroundDeletion'

/** Effect of a delete: remove the object, update it, or nothing as it was requested before. */
export type DeletionStep = { readonly kind: 'remove' } | { readonly kind: 'mark'; readonly object: KubeObject } | { readonly kind: 'wait' }

/**
 * Reports whether a deleting object must be kept: for finalizers, a grace period, or by its kind's
 * strategy.
 */
export function isHeld({ strategy }: ResourceDefinition, object: KubeObject): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata ?? {}
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0 || strategy.isHeld?.(object) === true
}

/** Decides the effect of a delete by the rules of apiserver.md §1.11. Pure. */
export function deletionStep(definition: ResourceDefinition, old: KubeObject, query: DeleteQuery, nowMs: number): DeletionStep {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata ?? {}
  const first = deletionTimestamp === undefined
  const finalizers = finalizersAfter(definition, old.metadata?.finalizers ?? [], query)
  const grace = first ? firstGrace(definition, old, query) : laterGrace(definition, deletionGracePeriodSeconds, query)
  const marked = mark(definition, withFinalizers(old, finalizers), grace, nowMs)
  if (!isHeld(definition, marked)) return { kind: 'remove' }
  const unchanged = !first && grace === deletionGracePeriodSeconds && sameNames(finalizers, old.metadata?.finalizers ?? [])
  return unchanged ? { kind: 'wait' } : { kind: 'mark', object: marked }
}

function firstGrace({ strategy }: ResourceDefinition, old: KubeObject, query: DeleteQuery): number {
  if (strategy.gracePeriodSeconds === undefined || strategy.endsAtOnce?.(old) === true) return 0
  const seconds = query.gracePeriodSeconds ?? strategy.gracePeriodSeconds(old) ?? 0
  return seconds < 0 ? 1 : seconds
}

/** A later delete can only shorten the grace period. */
function laterGrace({ strategy }: ResourceDefinition, present: number, { gracePeriodSeconds }: DeleteQuery): number {
  if (strategy.gracePeriodSeconds === undefined || gracePeriodSeconds === undefined) return present
  return Math.min(present, gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds)
}

/**
 * Sets the finalizers of the propagation policy. Without a policy, existing finalizers decide, then
 * the default of the kind.
 */
function finalizersAfter(
  { strategy }: ResourceDefinition,
  finalizers: readonly string[],
  { propagationPolicy }: DeleteQuery,
): readonly string[] {
  const others = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  if (propagationPolicy === undefined) {
    return strategy.orphansDependents === true && others.length === finalizers.length ? [...finalizers, orphanFinalizer] : finalizers
  }
  switch (propagationPolicy) {
    case 'Background':
      return others
    case 'Orphan':
      return [...others, orphanFinalizer]
    case 'Foreground':
      return [...others, foregroundFinalizer]
  }
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: _, ...metadata } = object.metadata ?? {}
  return withMetadata(object, finalizers.length === 0 ? metadata : { ...metadata, finalizers: [...finalizers] })
}

function mark({ strategy, hasGeneration }: ResourceDefinition, object: KubeObject, grace: number, nowMs: number): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = object.metadata ?? {}
  if (deletionTimestamp !== undefined) {
    const askedAt = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
    return withDeletion(object, rfc3339(askedAt + grace * 1000), grace)
  }
  const counted =
    hasGeneration && generation !== undefined ? withMetadata(object, { ...object.metadata, generation: generation + 1 }) : object
  const deleting = withDeletion(counted, rfc3339(nowMs + grace * 1000), grace)
  return strategy.markDeleting?.(deleting, nowMs) ?? deleting
}

function withDeletion(object: KubeObject, deletionTimestamp: string, deletionGracePeriodSeconds: number): KubeObject {
  return withMetadata(object, { ...object.metadata, deletionTimestamp, deletionGracePeriodSeconds })
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
