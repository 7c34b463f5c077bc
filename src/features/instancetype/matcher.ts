import type { InstancetypeMatcher, PreferenceMatcher } from '#api/kubevirt/v1/virtual-machine.ts'

/** Kinds of instance types that a matcher can name. */
export type InstancetypeKind = 'VirtualMachineInstancetype' | 'VirtualMachineClusterInstancetype'
/** Kinds of preferences that a matcher can name. */
export type PreferenceKind = 'VirtualMachinePreference' | 'VirtualMachineClusterPreference'

/** One of the two matchers of a VM. */
export type Family = 'instancetype' | 'preference'

/** The kind of a matcher is unknown. */
export class UnexpectedKind extends Error {
  override readonly name = 'UnexpectedKind'
}

const instancetypeKinds: readonly InstancetypeKind[] = ['VirtualMachineInstancetype', 'VirtualMachineClusterInstancetype']
const preferenceKinds: readonly PreferenceKind[] = ['VirtualMachinePreference', 'VirtualMachineClusterPreference']

/**
 * Returns the kind of a matcher: case-insensitive, singular or plural; the cluster kind by default.
 * @throws UnexpectedKind
 */
export function instancetypeKindOf(matcher: InstancetypeMatcher): InstancetypeKind {
  const kind = resolve(matcher.kind, instancetypeKinds, 'VirtualMachineClusterInstancetype')
  if (kind === undefined) throw new UnexpectedKind(`got unexpected kind in InstancetypeMatcher: ${matcher.kind}`)
  return kind
}

/** See {@link instancetypeKindOf}. @throws UnexpectedKind */
export function preferenceKindOf(matcher: PreferenceMatcher): PreferenceKind {
  const kind = resolve(matcher.kind, preferenceKinds, 'VirtualMachineClusterPreference')
  if (kind === undefined) throw new UnexpectedKind(`got unexpected kind in PreferenceMatcher: ${matcher.kind}`)
  return kind
}

/** Reports whether a kind is namespaced. */
export function isNamespacedKind(kind: InstancetypeKind | PreferenceKind): boolean {
  return kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachinePreference'
}

function resolve<K extends string>(kind: string | undefined, kinds: readonly K[], fallback: K): K | undefined {
  if (kind === undefined || kind === '') return fallback
  const wanted = kind.toLowerCase()
  return kinds.find((candidate) => wanted === candidate.toLowerCase() || wanted === `${candidate.toLowerCase()}s`)
}
