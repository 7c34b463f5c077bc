import type { InstancetypeMatcher, PreferenceMatcher } from '#api/kubevirt/v1/virtual-machine.ts'

/** The four kinds, from the point of view of a VM that names one. */
export type InstancetypeKind = 'VirtualMachineInstancetype' | 'VirtualMachineClusterInstancetype'
/** See {@link InstancetypeKind}. */
export type PreferenceKind = 'VirtualMachinePreference' | 'VirtualMachineClusterPreference'

/** Which of a VM's two matchers is meant. */
export type Family = 'instancetype' | 'preference'

/** A matcher names a kind that cannot be meant. */
export class UnexpectedKind extends Error {
  override readonly name = 'UnexpectedKind'
}

const instancetypeKinds: readonly InstancetypeKind[] = ['VirtualMachineInstancetype', 'VirtualMachineClusterInstancetype']
const preferenceKinds: readonly PreferenceKind[] = ['VirtualMachinePreference', 'VirtualMachineClusterPreference']

/**
 * The kind that a matcher means: compared without case, singular or plural; absent is the cluster
 * kind. @throws UnexpectedKind
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

/** Whether objects of the kind live in the VM's namespace. */
export function isNamespacedKind(kind: InstancetypeKind | PreferenceKind): boolean {
  return kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachinePreference'
}

function resolve<K extends string>(kind: string | undefined, kinds: readonly K[], fallback: K): K | undefined {
  if (kind === undefined || kind === '') return fallback
  const wanted = kind.toLowerCase()
  return kinds.find((candidate) => wanted === candidate.toLowerCase() || wanted === `${candidate.toLowerCase()}s`)
}
