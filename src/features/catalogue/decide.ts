import { isManaged } from '#api/access/managed.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'

/** An instance type or preference. */
export interface Entry extends KubeObject {
  readonly spec: object
}

/** The next write for a name. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'create' }
  /** `edited`: the object was edited, or is of an older catalogue. */
  | { readonly kind: 'restore'; readonly patch: object; readonly edited: boolean }
  | { readonly kind: 'remove' }

/**
 * Compares the stored object of a name with the catalogue's. Objects under other names belong to
 * users.
 */
export function decide<T extends Entry>(present: T | undefined, wanted: T | undefined): Step {
  if (present === undefined) return { kind: wanted === undefined ? 'none' : 'create' }
  // The deletion's event leads here again.
  if (isBeingDeleted(present)) return { kind: 'none' }
  if (wanted === undefined) return { kind: isManaged(present.metadata?.labels) ? 'remove' : 'none' }
  const [is, shall] = [ownedPart(present), ownedPart(wanted)]
  if (deepEqual(is, shall)) return { kind: 'none' }
  return { kind: 'restore', patch: createMergePatch(is, shall) as object, edited: isManaged(present.metadata?.labels) }
}

interface OwnedPart {
  readonly metadata: Pick<ObjectMeta, 'labels' | 'annotations'>
  readonly spec: object
}

/** All labels and annotations, as in KubeVirt: those of others are removed, too. */
function ownedPart({ metadata, spec }: Entry): OwnedPart {
  return { metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} }, spec }
}
