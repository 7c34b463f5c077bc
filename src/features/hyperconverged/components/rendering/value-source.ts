import { deepEqual } from '#apimachinery/equality.ts'
import type { OverrideSource } from '../../configuration/overrides/override.ts'
import type { PatchSource } from '../../lifecycle/upgrade/patched-values.ts'
import { startsWith, valueAt, type FieldPath } from '../../value-at.ts'

/**
 * Source of a value in a component's object.
 *
 *     user      a field of HyperConverged that the user has set
 *     default   a field of HyperConverged that has its default, with the kind of default:
 *               `static`: filled by the operator in an object that was stored without it
 *               `schema`: the default of the CRD, which the API server has stored
 *               `webhook`: stored by the mutating webhook at the creation
 *               `late`: chosen by the operator from what it knows of the cluster, and not stored
 *     patch     a field of HyperConverged that an upgrade has set, and that has its value still
 *     gate      a feature gate, as listed by the user, by the default of its phase, or `kept`: by
 *               that of an earlier version until the administrator consents
 *     cluster   nodes or settings of the operator
 *     fixed     always the same
 *     override  a JSON patch of an administrator, with the source of the value that it replaces
 */
export type ValueSource =
  | { readonly kind: 'user'; readonly field: string }
  | { readonly kind: 'default'; readonly of: DefaultKind; readonly field: string }
  | ({ readonly kind: 'patch'; readonly field: string } & PatchSource)
  | { readonly kind: 'gate'; readonly gate: string; readonly because: 'user' | 'phase' | 'kept' }
  | { readonly kind: 'cluster'; readonly what: string }
  | { readonly kind: 'fixed'; readonly why: string }
  | { readonly kind: 'override'; readonly override: OverrideSource; readonly replaced?: ValueSource }

/** Returns the path of a source's field from the root of HyperConverged. Pure. */
export function pathOf(field: string): string {
  return field.startsWith('metadata.') ? field : `spec.${field}`
}

/** Place in which a default is filled. */
export type DefaultKind = 'static' | 'schema' | 'webhook' | 'late'

/** Value at a path of a component's object, with its source. */
export interface SourcedValue {
  readonly path: readonly string[]
  readonly value: unknown
  /** True if the value is one item of the list at the path. */
  readonly isItem?: true
  readonly source: ValueSource
}

/** A field of HyperConverged that cannot be rendered. */
export interface RenderingProblem {
  /** Path from the root of HyperConverged. */
  readonly field: string
  readonly message: string
}

/** Returns the values at a path or, without one, those that hold it most closely. Pure. */
export function valuesHolding(values: readonly SourcedValue[], path: FieldPath): readonly SourcedValue[] {
  const holding = values.filter((value) => startsWith(path, value.path))
  const longest = Math.max(...holding.map((value) => value.path.length))
  return holding.filter((value) => value.path.length === longest)
}

/** Name of an item of a list in output: itself, or the name of the object that it is. Pure. */
export function nameOfItem(value: unknown): string {
  if (typeof value === 'string') return value
  const name = valueAt(value, ['metadata', 'name']) ?? valueAt(value, ['name'])
  return typeof name === 'string' ? name : JSON.stringify(value)
}

/** Returns the items of a list that is rendered item by item, such as KubeVirt's gates. Pure. */
export function itemsAt(values: readonly SourcedValue[], path: FieldPath): readonly SourcedValue[] {
  return values.filter((value) => value.isItem === true && deepEqual(value.path, path))
}
