import type { Family } from '../matcher.ts'
import { fromV1, toV1 } from './v1.ts'

/** The fields of a stored object that a version may write in its own way. */
export interface VersionedObject {
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: unknown
}

/**
 * How objects of one version are read and written. The engine sees v1beta1's fields, of which those
 * of the others are a part.
 */
export interface VersionRow {
  /** As the engine sees it. */
  decode(stored: VersionedObject, family: Family): VersionedObject
  /** Absent: the version is read, and no longer written. */
  encode?(object: VersionedObject, family: Family): VersionedObject
}

/**
 * The only place that knows versions, oldest first. A new one is a new row; an old row goes when no
 * revision of that version is left anywhere, which
 * `steadyvm revisions report` tells.
 */
export const versionTable: ReadonlyMap<string, VersionRow> = new Map<string, VersionRow>([
  ['v1alpha1', { decode: fromAlpha }],
  ['v1alpha2', { decode: fromAlpha }],
  ['v1beta1', { decode: (stored) => stored, encode: (object) => object }],
  ['v1', { decode: fromV1, encode: toV1 }],
])

/** The alpha versions differ only in that an empty topology means none. */
function fromAlpha(stored: VersionedObject): VersionedObject {
  const spec = structuredClone(stored.spec ?? {}) as { cpu?: { preferredCPUTopology?: string } }
  if (spec.cpu?.preferredCPUTopology === '') delete spec.cpu.preferredCPUTopology
  return { ...stored, spec }
}
