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

/** Identity of an object, live or decoded. */
export interface Identified {
  readonly kind?: string
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly generation?: number }
}

/** Returns the labels that identify the object in a revision. */
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

/** Returns the family of a kind. */
export function familyOfKind(kind: InstancetypeKind | PreferenceKind): Family
export function familyOfKind(kind: unknown): Family | undefined
export function familyOfKind(kind: unknown): Family | undefined {
  if (kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachineClusterInstancetype') return 'instancetype'
  return kind === 'VirtualMachinePreference' || kind === 'VirtualMachineClusterPreference' ? 'preference' : undefined
}

/** Cuts a text and appends a hash: object names may have 253 characters, label values 63. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const hash = hashOf(text).slice(0, 10)
  // Names and label values must not have a dot before the dash.
  return `${text.slice(0, longest - hash.length - 1).replace(/[^a-z0-9]+$/i, '')}-${hash}`
}

/** Returns the SHA-256 in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
