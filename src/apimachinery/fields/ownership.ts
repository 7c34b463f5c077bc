import { deepEqual } from '../equality.ts'
import { compare, type Comparison } from './compare.ts'
import { difference, intersection, noFields, pathsOf, recursiveDifference, union } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import type { ManagedSet, Managers, Versions, Writing } from './managers.ts'
import { mergeApplied } from './merge.ts'
import type { PathElement } from './path-element.ts'
import { prune } from './prune.ts'
import { reconcileFields } from './reconcile.ts'
import { toFieldSet } from './to-field-set.ts'

/** A field that another manager owns with a different value. */
export interface FieldConflict {
  readonly manager: string
  readonly path: readonly PathElement[]
}

/** The applied configuration changes fields of other managers. */
export class OwnershipConflict extends Error {
  override readonly name = 'OwnershipConflict'
  readonly conflicts: readonly FieldConflict[]
  constructor(conflicts: readonly FieldConflict[]) {
    super(`${conflicts.length} conflicts with other managers`)
    this.conflicts = conflicts
  }
}

/** The object after an apply, undefined when unchanged, and the resulting owners. */
export interface Applied {
  readonly object: unknown
  readonly managers: Managers
}

function typeFor(versions: Versions, apiVersion: string): FieldType {
  const type = versions.typeOf(apiVersion)
  if (type === undefined) throw new TypeError(`version ${apiVersion} has no type`)
  return type
}

/**
 * Brings sets in line with the schemas of today. Sets of versions that there are not any more go.
 */
function reconciled(versions: Versions, managers: Managers): Managers {
  let result: Map<string, ManagedSet> | undefined
  for (const [manager, set] of managers) {
    const type = versions.typeOf(set.apiVersion)
    const fields = type === undefined ? noFields : reconcileFields(type, set.fields)
    if (fields === set.fields) continue
    result ??= new Map(managers)
    if (type === undefined) result.delete(manager)
    else result.set(manager, { ...set, fields })
  }
  return result ?? managers
}

/** Compares two states once per requested version. */
class Comparisons {
  readonly #writing: Writing
  readonly #old: unknown
  readonly #next: unknown
  readonly #known = new Map<string, Comparison | undefined>()

  constructor(writing: Writing, old: unknown, next: unknown) {
    this.#writing = writing
    this.#old = old
    this.#next = next
  }

  /** Undefined for a version that there is not. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#compare(apiVersion))
    return this.#known.get(apiVersion)
  }

  #compare(apiVersion: string): Comparison | undefined {
    const { versions, apiVersion: written } = this.#writing
    const type = versions.typeOf(apiVersion)
    if (type === undefined) return undefined
    const [old, next] = [this.#old, this.#next].map((object) =>
      apiVersion === written || object === undefined ? object : versions.convert(object, written, apiVersion),
    )
    const { removed, modified, added } = compare(type, old, next)
    const ignored = versions.ignored(apiVersion)
    if (ignored.size === 0) return { removed, modified, added }
    return {
      removed: recursiveDifference(removed, ignored),
      modified: recursiveDifference(modified, ignored),
      added: recursiveDifference(added, ignored),
    }
  }
}

/** Removes changed fields from the sets of managers that did not change them. */
function takeFromOthers(comparisons: Comparisons, managers: Managers, self: string, force: boolean): Map<string, ManagedSet> {
  const result = new Map<string, ManagedSet>()
  const conflicts: FieldConflict[] = []
  for (const [manager, set] of managers) {
    const comparison = manager === self ? undefined : comparisons.in(set.apiVersion)
    if (manager === self) result.set(manager, set)
    if (comparison === undefined) continue
    const { removed, modified, added } = comparison
    const lost = union(intersection(set.fields, modified), intersection(set.fields, added))
    if (!force) for (const path of pathsOf(lost)) conflicts.push({ manager, path })
    const fields = difference(difference(set.fields, lost), removed)
    if (fields.size > 0) result.set(manager, fields === set.fields ? set : { ...set, fields })
  }
  if (conflicts.length > 0)
    throw new OwnershipConflict(conflicts.toSorted((a, b) => (a.manager < b.manager ? -1 : Number(a.manager > b.manager))))
  return result
}

/** Owners after an update. */
export interface Updated {
  readonly managers: Managers
  /**
   * Reports whether the manager gained a field. False when it only removed fields, or changed
   * fields without owner.
   */
  readonly took: boolean
}

/**
 * Computes the owners after a write that is not an apply: the writer owns the fields that it
 * changes, and removed fields lose their owners. `old` is undefined for a new object. Returns the
 * same managers when nothing changes.
 */
export function updateOwners(writing: Writing, old: unknown, next: unknown, managers: Managers): Updated {
  const { versions, apiVersion, manager, unowned } = writing
  const comparisons = new Comparisons(writing, old, next)
  const result = takeFromOthers(comparisons, reconciled(versions, managers), manager, true)
  const { removed, modified, added } = comparisons.in(apiVersion) ?? compare(typeFor(versions, apiVersion), old, next)
  const before = result.get(manager)
  const changed = difference(union(modified, added), unowned)
  const fields = union(difference(before?.fields ?? noFields, removed), changed)
  if (fields.size === 0) result.delete(manager)
  else if (fields !== before?.fields || before.apiVersion !== apiVersion) result.set(manager, { apiVersion, fields, applied: false })
  return { managers: isSame(result, managers) ? managers : result, took: changed.size > 0 }
}

function isSame(a: Managers, b: Managers): boolean {
  return a.size === b.size && [...a].every(([manager, set]) => b.get(manager) === set)
}

/**
 * Merges an applied configuration into the live object, removes fields that the manager applied
 * last time and no other manager owns, and computes the owners.
 * @throws OwnershipConflict when other managers own changed fields, unless `force`; FieldTypeError
 * when an item of a list has no key
 */
export function applyOwned(writing: Writing, live: unknown, config: unknown, managers: Managers, force: boolean): Applied {
  const { versions, apiVersion, manager, unowned } = writing
  const type = typeFor(versions, apiVersion)
  const present = reconciled(versions, managers)
  const merged = mergeApplied(type, live, config)
  const fields = recursiveDifference(toFieldSet(type, config), versions.ignored(apiVersion))
  const owners = new Map(present).set(manager, { apiVersion, fields, applied: true })
  const object = prune(writing, merged, owners, present.get(manager))
  const result = takeFromOthers(new Comparisons(writing, live, object), owners, manager, force)
  const own = difference(fields, unowned)
  if (own.size === 0) result.delete(manager)
  else result.set(manager, { apiVersion, fields: own, applied: true })
  return { object: deepEqual(live, object) ? undefined : object, managers: result }
}
