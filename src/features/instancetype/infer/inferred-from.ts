import type { InstancetypeMatcher, PreferenceMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** On a VM: inferred names, with their volumes. */
export const inferredFromAnnotation = 'steadyvm.io/inferred-from'

/** Matchers of a VM. */
export type MatcherField = 'instancetype' | 'preference'

/** Either matcher; both have the same fields. */
export type Matcher = InstancetypeMatcher | PreferenceMatcher

/** Names inferred from a volume. */
export interface Inferred {
  readonly volume: string
  readonly name: string
  readonly kind?: string
}

/** Inferred names by matcher. */
export type InferredFrom = Partial<Record<MatcherField, Inferred>>

/** Reads the annotation; an invalid one counts as absent. */
export function readInferredFrom(vm: VirtualMachine | undefined): InferredFrom {
  try {
    const { instancetype, preference } = JSON.parse(vm?.metadata.annotations?.[inferredFromAnnotation] ?? '{}') as Record<string, unknown>
    return { ...(isInferred(instancetype) ? { instancetype } : {}), ...(isInferred(preference) ? { preference } : {}) }
  } catch {
    return {}
  }
}

function isInferred(value: unknown): value is Inferred {
  const { volume, name, kind = '' } = (value ?? {}) as Record<string, unknown>
  return typeof volume === 'string' && typeof name === 'string' && typeof kind === 'string'
}

/** Reports whether a matcher has the inferred names. */
export function holds(matcher: Matcher | undefined, inferred: Inferred | undefined): boolean {
  return matcher !== undefined && matcher.name === inferred?.name && (matcher.kind ?? '') === (inferred?.kind ?? '')
}

/**
 * Resolves a matcher that is applied again with `inferFromVolume` beside the inferred name: keeps
 * the stored one, with its revision, for the same volume, and infers again for another one.
 */
export function settleMatcher(matcher: Matcher, stored: Matcher | undefined, inferred: Inferred | undefined): Matcher {
  const { inferFromVolume = '', inferFromVolumeFailurePolicy } = matcher
  if (inferFromVolume === '' || inferred === undefined || !repeats(matcher, inferred)) return matcher
  if (inferFromVolume !== inferred.volume) {
    return { inferFromVolume, ...(inferFromVolumeFailurePolicy === undefined ? {} : { inferFromVolumeFailurePolicy }) }
  }
  const { name, kind } = inferred
  return stored !== undefined && holds(stored, inferred) ? stored : { name, ...(kind === undefined ? {} : { kind }) }
}

/** Reports whether name and kind are the inferred ones, or empty in the manifest. */
function repeats({ name = '', kind = '' }: Matcher, inferred: Inferred): boolean {
  if (name === inferred.name) return kind === '' || kind === inferred.kind
  return name === '' && kind !== '' && kind === inferred.kind
}
