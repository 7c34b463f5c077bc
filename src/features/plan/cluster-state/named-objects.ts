import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { instancetypeKindOf, isNamespacedKind, preferenceKindOf, type Family } from '#features/instancetype/index.ts'
import type { ObjectReference } from '../types.ts'

/** The families that a VM can name. */
export const families: readonly Family[] = ['instancetype', 'preference']

/**
 * Returns the object that a VM's matcher names; undefined without a matcher, or for an unknown
 * kind.
 */
export function namedObject({ spec, metadata }: VirtualMachine, family: Family): ObjectReference | undefined {
  const matcher = spec[family]
  if (matcher?.name === undefined || matcher.name === '') return undefined
  try {
    const kind = family === 'instancetype' ? instancetypeKindOf(matcher) : preferenceKindOf(matcher)
    return { kind, name: matcher.name, ...(isNamespacedKind(kind) ? { namespace: metadata.namespace ?? '' } : {}) }
  } catch {
    return undefined
  }
}

/** One text for each object. */
export function identityOf({ kind, namespace, name }: ObjectReference): string {
  return `${kind}/${namespace ?? ''}/${name}`
}
