import type { InstancetypeMatcher, InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { instancetypeKindOf, preferenceKindOf, type Family, type InstancetypeKind, type PreferenceKind } from '../matcher.ts'
import { currentNameOf } from './replaced-names.ts'

/** On a VM: requests a refresh, once for each new value. The command line writes the time. */
export const refreshAnnotation = 'steadyvm.io/refresh'

/**
 * On a VM: last refresh that was done, where the status does not keep it. A VM CRD installed by
 * another product prunes unknown status fields, and each pass would refresh again.
 */
export const refreshedAnnotation = 'steadyvm.io/refreshed'

/** The revision that a VM uses, and the field that names it. */
export interface Pin {
  readonly name: string
  readonly by: 'spec' | 'status'
}

/**
 * Returns the revision that a matcher is pinned to; undefined when the live object must be
 * captured.
 * `revisionName` in the spec wins. The status applies as long as it names the same object,
 * `revisionName` was not removed since, and no refresh is pending. @throws UnexpectedKind
 */
export function pinOf(vm: VirtualMachine, family: Family): Pin | undefined {
  const matcher = vm.spec[family]
  if (matcher === undefined) return undefined
  const named = matcher.revisionName ?? ''
  if (named !== '') return { name: currentNameOf(vm, named), by: 'spec' }
  const ref = vm.status?.[`${family}Ref`]
  const recorded = ref?.controllerRevisionRef?.name ?? ''
  if (ref == null || recorded === '' || !isOfSameObject(matcher, ref, family) || isRefreshAsked(vm, family)) return undefined
  return { name: currentNameOf(vm, recorded), by: 'status' }
}

/** Reports whether a refresh is pending. */
function isRefreshAsked(vm: VirtualMachine, family: Family): boolean {
  const asked = vm.metadata.annotations?.[refreshAnnotation] ?? ''
  if (asked !== '' && !isRefreshed(vm, asked)) return true
  return (vm.status?.steadyvm?.[family]?.specRevisionName ?? '') !== ''
}

/** Reports whether the refresh with this value was done. */
export function isRefreshed({ metadata, status }: VirtualMachine, asked: string): boolean {
  return asked === status?.steadyvm?.refresh || asked === metadata.annotations?.[refreshedAnnotation]
}

/**
 * Compares name and kind, since one name can exist in both scopes. Spelling of the kind does not
 * count.
 */
function isOfSameObject(matcher: InstancetypeMatcher, ref: InstancetypeStatusRef, family: Family): boolean {
  if (matcher.name !== ref.name) return false
  if ((matcher.inferFromVolume ?? '') !== '' && matcher.inferFromVolume !== ref.inferFromVolume) return false
  return kindOf(matcher, family) === kindIn(ref, family)
}

function kindIn(ref: InstancetypeStatusRef, family: Family): InstancetypeKind | PreferenceKind | undefined {
  try {
    return kindOf(ref, family)
  } catch {
    // The reference was not written by this controller; capture again.
    return undefined
  }
}

function kindOf(matcher: { readonly kind?: string }, family: Family): InstancetypeKind | PreferenceKind {
  return family === 'instancetype' ? instancetypeKindOf(matcher) : preferenceKindOf(matcher)
}
