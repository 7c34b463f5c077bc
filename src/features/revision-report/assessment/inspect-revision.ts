import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import {
  decodeRevision,
  familyOf,
  hasFormat,
  isShared,
  knownVersions,
  type Family,
  type Instancetype,
  type Preference,
  type RevisionFormat,
} from '#features/instancetype/index.ts'

/** Content and format of a revision. */
export interface InspectedRevision {
  readonly family: Family
  /** `unknown` if it cannot be determined. */
  readonly version: string
  readonly shared: boolean
  /** Undefined if it cannot be decoded. */
  readonly object: Instancetype | Preference | undefined
  /** Decoding error; empty without. */
  readonly problem: string
  /** True if version, sharing and labels are as wanted. */
  readonly inForm: boolean
}

/** Inspects a revision; results are cached for the lifetime of the object. */
export type Inspect = (revision: ControllerRevision, family: Family | undefined, format: RevisionFormat) => InspectedRevision

/** Version of undecodable revisions. */
export const unknownVersion = 'unknown'

/**
 * Returns an inspector with an empty cache. Data are immutable, and a change of labels gives
 * another object in the informer's cache.
 */
export function createInspector(): Inspect {
  const seen = new WeakMap<ControllerRevision, Map<string, InspectedRevision>>()
  return (revision, family, format) => {
    const key = `${family ?? ''}/${format.version}/${format.sharing}`
    const known = seen.get(revision) ?? new Map<string, InspectedRevision>()
    seen.set(revision, known)
    const kept = known.get(key) ?? inspect(revision, family, format)
    known.set(key, kept)
    return kept
  }
}

/**
 * Inspects a revision. A bare spec has the family of its reference; without reference, the family
 * that it decodes as.
 */
function inspect(revision: ControllerRevision, named: Family | undefined, format: RevisionFormat): InspectedRevision {
  const family = named ?? familyOf(revision)
  if (family !== undefined) return inspectAs(revision, family, format)
  const asInstancetype = inspectAs(revision, 'instancetype', format)
  if (asInstancetype.object !== undefined) return asInstancetype
  const asPreference = inspectAs(revision, 'preference', format)
  return asPreference.object === undefined ? asInstancetype : asPreference
}

function inspectAs(revision: ControllerRevision, family: Family, format: RevisionFormat): InspectedRevision {
  const shared = isShared(revision)
  try {
    const { object, version } = decodeRevision(revision, family)
    return { family, version, shared, object, problem: '', inForm: hasFormat(revision, family, format) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { family, version: versionSaid(revision), shared, object: undefined, problem: error.message, inForm: false }
  }
}

/** Returns the version that undecodable data claim, if it is a known one. */
function versionSaid({ data }: ControllerRevision): string {
  const apiVersion = data?.['apiVersion']
  const version = typeof apiVersion === 'string' ? parseApiVersion(apiVersion).version : ''
  return knownVersions.includes(version) ? version : unknownVersion
}
