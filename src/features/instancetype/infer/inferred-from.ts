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

/**
 * A matcher as its writer means it. Whoever applies a manifest with `inferFromVolume` again sends it together with the name that was inferred before:
 * then the name holds, if it is for the same volume, and is inferred anew, if it is for another one.
 */
export function settleMatcher(matcher: Matcher, inferred: Inferred | undefined): Matcher {
  const { inferFromVolume = '', inferFromVolumeFailurePolicy, name = '', kind = '' } = matcher
  const isOurs = inferred !== undefined && name === inferred.name && kind === (inferred.kind ?? '')
  if (inferFromVolume === '' || !isOurs) return matcher
  if (inferFromVolume !== inferred.volume) {
    return { inferFromVolume, ...(inferFromVolumeFailurePolicy === undefined ? {} : { inferFromVolumeFailurePolicy }) }
  }
  const { inferFromVolume: _, inferFromVolumeFailurePolicy: __, ...kept } = matcher
  return kept
}
