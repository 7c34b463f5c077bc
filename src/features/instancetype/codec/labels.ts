import { createHash } from 'node:crypto'
import type { Family, InstancetypeKind, PreferenceKind } from '../matcher.ts'

/** Label keys on revisions. */
export const revisionLabels = {
  generation: 'instancetype.kubevirt.io/object-generation',
  kind: 'instancetype.kubevirt.io/object-kind',
  name: 'instancetype.kubevirt.io/object-name',
  uid: 'instancetype.kubevirt.io/object-uid',
  version: 'instancetype.kubevirt.io/object-version',
} as const

/** What is asked of an object to tell which one it is, be it live or out of a revision. */
export interface Identified {
  readonly kind?: string
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly generation?: number }
}

/** The labels that tell of which object a revision is. */
export function identityLabels({ kind = '', metadata = {} }: Identified, version: string): Record<string, string> {
  const { name = '', uid = '', generation = 0 } = metadata
  return {
    [revisionLabels.generation]: String(generation),
    [revisionLabels.kind]: kind,
    [revisionLabels.name]: shorten(name, 63),
    [revisionLabels.uid]: uid,
    [revisionLabels.version]: version,
  }
}

/** The family that a kind belongs to. */
export function familyOfKind(kind: InstancetypeKind | PreferenceKind): Family
export function familyOfKind(kind: unknown): Family | undefined
export function familyOfKind(kind: unknown): Family | undefined {
  if (kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachineClusterInstancetype') return 'instancetype'
  return kind === 'VirtualMachinePreference' || kind === 'VirtualMachineClusterPreference' ? 'preference' : undefined
}

/**
 * Names of 253 characters are legal for objects but not as label values; what is too long keeps its
 * start and gets a hash.
 */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const hash = hashOf(text).slice(0, 10)
  // Neither names nor labels take a dot before the dash.
  return `${text.slice(0, longest - hash.length - 1).replace(/[^a-z0-9]+$/i, '')}-${hash}`
}

/** SHA-256 in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
