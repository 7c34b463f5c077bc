import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { changedPaths } from '../../components/objects/changed-paths.ts'
import { objectOf } from '../../components/rendering/rendering.ts'
import { itemsAt, type SourcedValue } from '../../components/rendering/value-source.ts'
import { startsWith, valueAt, withoutValueAt, withValueAt, type FieldPath } from '../../value-at.ts'
import type { Override, OverrideProblem, OverrideSource } from './override.ts'

/** An override, and the reason why it is not part of the object. */
export interface OverrideResult {
  readonly override: Override
  readonly problem?: OverrideProblem
}

/**
 * Applies overrides to the rendered values of a component, one after the other. One that cannot be
 * applied is skipped as a whole and reported: it affects neither the others nor the component.
 * What a patch changes has the override as its source. Pure.
 */
export function applyOverrides(
  values: readonly SourcedValue[],
  overrides: readonly Override[],
): { readonly values: readonly SourcedValue[]; readonly results: readonly OverrideResult[] } {
  const results: OverrideResult[] = []
  let current = values
  for (const override of overrides) {
    const { patch, problem } = override
    if (patch === undefined) {
      results.push({ override, ...(problem === undefined ? {} : { problem }) })
      continue
    }
    const before = { spec: {}, ...objectOf(current) }
    try {
      const after = withoutContradiction(applyJsonPatch(withMetadata(before), patch, { refusesAbsentValues: true }), before)
      current = valuesAfter(current, before, after, override)
      results.push({ override })
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error
      const place = error.index < 0 ? '' : `operation ${error.index} (${patch[error.index]?.op} ${patch[error.index]?.path}): `
      results.push({ override, problem: { reason: 'DoesNotApply', message: `${place}${error.message}` } })
    }
  }
  return { values: current, results }
}

/** Adds the parents of labels and annotations, which a patch must not have to create. */
function withMetadata(object: Readonly<Record<string, unknown>>): object {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  return { ...object, metadata: { labels: {}, annotations: {}, ...metadata } }
}

const enabledGates = 'spec.configuration.developerConfiguration.featureGates'.split('.')
const disabledGates = 'spec.configuration.developerConfiguration.disabledFeatureGates'.split('.')

/**
 * Removes gates that a patch enables from the list of disabled ones. KubeVirt refuses a gate that
 * is in both lists, and every gate that HyperConverged does not enable is in the second one.
 */
function withoutContradiction(after: unknown, before: unknown): unknown {
  const [enabled, wasEnabled, disabled] = [valueAt(after, enabledGates), valueAt(before, enabledGates), valueAt(after, disabledGates)]
  if (!Array.isArray(enabled) || !Array.isArray(disabled)) return after
  const isAdded = (gate: unknown): boolean => enabled.includes(gate) && !(Array.isArray(wasEnabled) && wasEnabled.includes(gate))
  const rest = (disabled as readonly unknown[]).filter((gate) => !isAdded(gate))
  return rest.length === disabled.length ? after : withValueAt(after, disabledGates, rest)
}

/** Values with those that differ replaced by values of the override. */
function valuesAfter(values: readonly SourcedValue[], before: unknown, after: unknown, { source }: Override): readonly SourcedValue[] {
  // Parents of labels and annotations that the patch did not use are no change.
  const changed = changedPaths(before, after).filter((path) => path[0] !== 'metadata' || !isEmptyObject(valueAt(after, path)))
  return changed.reduce((list, path): readonly SourcedValue[] => {
    const value = valueAt(after, path)
    const items = itemsAfter(list, path, value, source)
    if (items !== undefined) return [...list.filter((one) => !startsWith(one.path, path)), ...items]
    const kept = list.flatMap((one): readonly SourcedValue[] => {
      if (startsWith(one.path, path)) return []
      if (!startsWith(path, one.path)) return [one]
      // A value that holds the changed field: the rest of it keeps its source.
      const whole = valueAt(after, one.path)
      return whole === undefined
        ? []
        : [{ ...one, value: value === undefined ? whole : withoutValueAt(whole, path.slice(one.path.length)) }]
    })
    if (value === undefined) return kept
    const replaced = list.find((one) => deepEqual(one.path, path))?.source
    return [...kept, { path, value, source: { kind: 'override', override: source, ...(replaced === undefined ? {} : { replaced }) } }]
  }, values)
}

/** Items of a list that was rendered item by item, each with its source; undefined for others. */
function itemsAfter(
  values: readonly SourcedValue[],
  path: FieldPath,
  after: unknown,
  source: OverrideSource,
): readonly SourcedValue[] | undefined {
  const items = itemsAt(values, path)
  if (items.length === 0 || !Array.isArray(after) || after.length === 0) return undefined
  return (after as readonly unknown[]).map(
    (value) =>
      items.find((item) => deepEqual(item.value, value)) ?? { path, value, isItem: true, source: { kind: 'override', override: source } },
  )
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}
