import type { InstancetypeMatcher, InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { instancetypeKindOf, preferenceKindOf, type Family, type InstancetypeKind, type PreferenceKind } from '../matcher.ts'
import { currentNameOf } from './replaced-names.ts'

/**
 * On a VM: asks for the newest generation of what it names. Any value that was not carried out yet;
 * the command line writes the time.
 */
export const refreshAnnotation = 'steadyvm.io/refresh'

/**
 * On a VM: the refresh that was last carried out, where its status cannot say so. A definition of
 * VMs that somebody else has installed drops the fields of the status that it does not know, and
 * without any memory every look would be another refresh.
 */
export const refreshedAnnotation = 'steadyvm.io/refreshed'

/** The revision that a VM is to take, and where that is written. */
export interface Pin {
  readonly name: string
  readonly by: 'spec' | 'status'
}

/**
 * The revision that a VM's matcher is pinned to; undefined when the live object is to be pinned
 * next. What the spec names wins. The status is believed as long as nobody has asked for something
 * newer: the spec names the same object, in whatever spelling; it has not given up a revision that
 * it named before; and every refresh was carried out. @throws UnexpectedKind
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

/** Whether the newest generation was asked for, and not taken yet. */
function isRefreshAsked(vm: VirtualMachine, family: Family): boolean {
  const asked = vm.metadata.annotations?.[refreshAnnotation] ?? ''
  if (asked !== '' && !isRefreshed(vm, asked)) return true
  return (vm.status?.steadyvm?.[family]?.specRevisionName ?? '') !== ''
}

/** Whether the refresh that was asked for with this word was carried out. */
export function isRefreshed({ metadata, status }: VirtualMachine, asked: string): boolean {
  return asked === status?.steadyvm?.refresh || asked === metadata.annotations?.[refreshedAnnotation]
}

/** One name can exist in both scopes, so the kind counts; its spelling does not. */
function isOfSameObject(matcher: InstancetypeMatcher, ref: InstancetypeStatusRef, family: Family): boolean {
  if (matcher.name !== ref.name) return false
  if ((matcher.inferFromVolume ?? '') !== '' && matcher.inferFromVolume !== ref.inferFromVolume) return false
  return kindOf(matcher, family) === kindIn(ref, family)
}

function kindIn(ref: InstancetypeStatusRef, family: Family): InstancetypeKind | PreferenceKind | undefined {
  try {
    return kindOf(ref, family)
  } catch {
    // Nothing that this controller wrote: it is pinned anew.
    return undefined
  }
}

function kindOf(matcher: { readonly kind?: string }, family: Family): InstancetypeKind | PreferenceKind {
  return family === 'instancetype' ? instancetypeKindOf(matcher) : preferenceKindOf(matcher)
}
