import type { InstancetypeMatcher, PreferenceMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** Annotation of a VM: what was inferred for it, and from which volumes. */
export const inferredFromAnnotation = 'steadyvm.io/inferred-from'

/** The matchers of a VM. */
export type MatcherField = 'instancetype' | 'preference'

/** Either matcher; both have the same fields. */
export type Matcher = InstancetypeMatcher | PreferenceMatcher

/** What a volume said. */
export interface Inferred {
  readonly volume: string
  readonly name: string
  readonly kind?: string
}

/** What was inferred for each matcher. */
export type InferredFrom = Partial<Record<MatcherField, Inferred>>

/** Reads the annotation. What cannot be understood was not written here, and counts as nothing. */
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

/** Whether a matcher holds what was inferred. */
export function holds(matcher: Matcher | undefined, inferred: Inferred | undefined): boolean {
  return matcher !== undefined && matcher.name === inferred?.name && (matcher.kind ?? '') === (inferred?.kind ?? '')
}

/**
 * A matcher as its writer means it. Whoever applies a manifest with `inferFromVolume` again sends
 * it together with the name that was inferred before: then the stored matcher stays, with its
 * revision, if the volume is the same, and is inferred anew, if it is another one.
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

/**
 * Name and kind are those that were inferred; either may also be empty in the manifest, which then
 * wins over what is stored.
 */
function repeats({ name = '', kind = '' }: Matcher, inferred: Inferred): boolean {
  if (name === inferred.name) return kind === '' || kind === inferred.kind
  return name === '' && kind !== '' && kind === inferred.kind
}
