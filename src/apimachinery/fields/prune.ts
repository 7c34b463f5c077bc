import { difference, type FieldSet, intersection, noFields, union } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { withNamedFields } from './named-fields.ts'
import type { ManagedSet, Managers, Writing } from './managers.ts'
import { removeFields } from './remove.ts'
import { toFieldSet } from './to-field-set.ts'

/** An object before and after the removal, in one version. */
interface Pruning {
  readonly apiVersion: string
  readonly merged: unknown
  readonly pruned: unknown
}

function inVersion({ versions }: Writing, { apiVersion, merged, pruned }: Pruning, wanted: string): Pruning {
  if (apiVersion === wanted) return { apiVersion, merged, pruned }
  const [other, otherPruned] = [merged, pruned].map((object) =>
    object === undefined ? undefined : versions.convert(object, apiVersion, wanted),
  )
  return { apiVersion: wanted, merged: other, pruned: otherPruned }
}

/** Everything in the object, with the declared fields that hold it. */
function namedFieldsOf(type: FieldType, object: unknown): FieldSet {
  return withNamedFields(type, toFieldSet(type, object))
}

/** Restores fields that another manager owns. */
function addBackOwned(type: FieldType, { merged, pruned }: Pruning, owned: FieldSet): unknown {
  const kept = union(namedFieldsOf(type, pruned), withNamedFields(type, owned))
  return removeFields(type, merged, difference(namedFieldsOf(type, merged), kept))
}

/** Restores fields that were removed with their parent, but were not in the last set. */
function addBackDangling(type: FieldType, { merged, pruned }: Pruning, last: FieldSet): unknown {
  const gone = difference(namedFieldsOf(type, merged), namedFieldsOf(type, pruned))
  return removeFields(type, merged, intersection(gone, withNamedFields(type, last)))
}

/**
 * Owned fields of all managers, by version; the given version first, so that conversion finds its
 * result.
 */
function ownedByVersion(managers: Managers, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, noFields]])
  for (const { apiVersion, fields } of managers.values()) owned.set(apiVersion, union(owned.get(apiVersion) ?? noFields, fields))
  return owned
}

/**
 * Removes fields from a merged object that its manager applied last time, does not apply now, and
 * that no other manager owns. `managers` has the manager's new set; `last` is its former one.
 */
export function prune(writing: Writing, merged: unknown, managers: Managers, last: ManagedSet | undefined): unknown {
  const { versions, apiVersion } = writing
  const lastType = last === undefined ? undefined : versions.typeOf(last.apiVersion)
  if (last === undefined || lastType === undefined || last.fields.size === 0) return merged
  let pruning = inVersion(writing, { apiVersion, merged, pruned: undefined }, last.apiVersion)
  pruning = { ...pruning, pruned: removeFields(lastType, pruning.merged, withNamedFields(lastType, last.fields)) }
  for (const [version, owned] of ownedByVersion(managers, last.apiVersion)) {
    const type = versions.typeOf(version)
    if (type === undefined) continue
    pruning = inVersion(writing, pruning, version)
    pruning = { ...pruning, pruned: addBackOwned(type, pruning, owned) }
  }
  pruning = inVersion(writing, pruning, last.apiVersion)
  // Nothing is left when all was this manager's; an object it is all the same.
  const pruned = addBackDangling(lastType, pruning, last.fields) ?? {}
  return inVersion(writing, { ...pruning, pruned }, apiVersion).pruned
}
