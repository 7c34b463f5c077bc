import { isManaged } from '#api/access/managed.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { prefix } from './names.ts'

/** An instance type or preference. */
export interface Entry extends KubeObject {
  readonly spec: object
}

/** What to do about one name. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'create' }
  /** `edited`: it was ours, so that somebody has changed it, or the catalogue is a newer one. */
  | { readonly kind: 'restore'; readonly patch: object; readonly edited: boolean }
  | { readonly kind: 'remove' }

/**
 * Compares what is there under a name with what the catalogue has for it, if anything. What others
 * have made under other names is theirs.
 */
export function decide<T extends Entry>(present: T | undefined, wanted: T | undefined): Step {
  if (present === undefined) return { kind: wanted === undefined ? 'none' : 'create' }
  // It goes already, and is looked at again when it is gone.
  if (present.metadata?.deletionTimestamp !== undefined) return { kind: 'none' }
  if (wanted === undefined) return { kind: isManaged(present.metadata?.labels) ? 'remove' : 'none' }
  const [is, shall] = [ownedPart(present), partToBe(present, wanted)]
  if (deepEqual(is, shall)) return { kind: 'none' }
  return { kind: 'restore', patch: createMergePatch(is, shall) as object, edited: isManaged(present.metadata?.labels) }
}

interface OwnedPart {
  readonly metadata: Pick<ObjectMeta, 'labels' | 'annotations'>
  readonly spec: object
}

function ownedPart({ metadata, spec }: Entry): OwnedPart {
  return { metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} }, spec }
}

/**
 * Notes of others stay: whoever writes them would write them again. Those that describe the object
 * are ours alone.
 */
function partToBe({ metadata }: Entry, wanted: Entry): OwnedPart {
  return {
    metadata: {
      labels: { ...ofOthers(metadata?.labels), ...wanted.metadata?.labels },
      annotations: { ...ofOthers(metadata?.annotations), ...wanted.metadata?.annotations },
    },
    spec: wanted.spec,
  }
}

function ofOthers(values: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !key.startsWith(prefix)))
}
