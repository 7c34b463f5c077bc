import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import type { JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { parsePatch, PatchMalformed } from './parse-patch.ts'

/** Annotations of HyperConverged with a JSON patch for the object of a component, by component. */
export const patchAnnotations: Readonly<Record<string, string>> = {
  kubevirt: 'kubevirt.kubevirt.io/jsonpatch',
  cdi: 'containerizeddataimporter.kubevirt.io/jsonpatch',
  'network-addons': 'networkaddonsconfigs.kubevirt.io/jsonpatch',
  ssp: 'ssp.kubevirt.io/jsonpatch',
}

/** Where an override is written. */
export type OverrideSource =
  | { readonly kind: 'annotation'; readonly name: string }
  | { readonly kind: 'object'; readonly name: string; readonly owner: string; readonly reason: string }

/** Change of the rendered object of a component. */
export interface Override {
  readonly component: string
  readonly source: OverrideSource
  /** Undefined: the override is not applied, for the reason in `problem`. */
  readonly patch: readonly JsonPatchOperation[] | undefined
  readonly problem?: OverrideProblem
}

/** Reason why an override is not applied. */
export interface OverrideProblem {
  readonly reason: 'Malformed' | 'DoesNotApply' | 'Expired'
  readonly message: string
}

/**
 * Lists all overrides in the order in which they are applied: annotations, then ComponentOverride
 * objects by name. Pure. `now`: milliseconds.
 */
export function overridesOf(
  { metadata }: Pick<HyperConverged, 'metadata'>,
  objects: readonly ComponentOverride[],
  now: number,
): readonly Override[] {
  const annotations = Object.entries(patchAnnotations).flatMap(([component, name]): Override[] => {
    const text = metadata.annotations?.[name]
    return text === undefined ? [] : [{ component, source: { kind: 'annotation', name }, ...attempt(() => parsePatch(text)) }]
  })
  const byName = objects.toSorted((one, other) => ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1))
  return [...annotations, ...byName.map((object) => overrideOf(object, now))]
}

/** Reads one ComponentOverride object. Pure. */
export function overrideOf({ metadata, spec }: ComponentOverride, now: number): Override {
  const { component, owner, reason, expiresAt } = spec
  const base = { component, source: { kind: 'object', name: metadata.name ?? '', owner, reason } } as const
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now)
    return { ...base, patch: undefined, problem: { reason: 'Expired', message: `it has expired at ${expiresAt}` } }
  return { ...base, ...attempt(() => parsePatch(spec.patch)) }
}

function attempt(parse: () => readonly JsonPatchOperation[]): Pick<Override, 'patch' | 'problem'> {
  try {
    return { patch: parse() }
  } catch (error) {
    if (!(error instanceof PatchMalformed)) throw error
    return { patch: undefined, problem: { reason: 'Malformed', message: error.message } }
  }
}

/** Names an override in status, warnings and output. Pure. */
export function nameOfOverride(source: OverrideSource): string {
  return source.kind === 'annotation' ? `annotation ${source.name}` : `ComponentOverride ${source.name}`
}

/** Path of an override for a refusal of HyperConverged. Pure. */
export function fieldOfOverride(source: OverrideSource): string {
  return source.kind === 'annotation' ? `metadata.annotations[${source.name}]` : `componentoverrides[${source.name}]`
}
