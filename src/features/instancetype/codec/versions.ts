import type { Family } from '../matcher.ts'
import { fromV1, toV1 } from './v1.ts'

/** Parts of a stored object that depend on the version. */
export interface VersionedObject {
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: unknown
}

/**
 * Decoder and encoder of one version. The engine uses the fields of v1beta1, which include those of
 * all others.
 */
export interface VersionRow {
  /** Decodes an object for the engine. */
  decode(stored: VersionedObject, family: Family): VersionedObject
  /** Encodes an object; absent for versions that are only read. */
  encode?(object: VersionedObject, family: Family): VersionedObject
}

/**
 * All known versions, oldest first; nothing else depends on a version. A row may be removed once
 * `steadyvm revisions report` calls the version safe to remove.
 */
export const versionTable: ReadonlyMap<string, VersionRow> = new Map<string, VersionRow>([
  ['v1alpha1', { decode: fromAlpha }],
  ['v1alpha2', { decode: fromAlpha }],
  ['v1beta1', { decode: (stored) => stored, encode: (object) => object }],
  ['v1', { decode: fromV1, encode: toV1 }],
])

/** Decodes an alpha version, in which an empty topology means none. */
function fromAlpha(stored: VersionedObject): VersionedObject {
  const spec = structuredClone(stored.spec ?? {}) as { cpu?: { preferredCPUTopology?: string } }
  if (spec.cpu?.preferredCPUTopology === '') delete spec.cpu.preferredCPUTopology
  return { ...stored, spec }
}
