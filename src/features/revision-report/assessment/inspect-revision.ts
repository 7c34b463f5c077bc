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

/** What one revision holds, whoever names it. */
export interface InspectedRevision {
  readonly family: Family
  /** `unknown` when nobody can tell. */
  readonly version: string
  readonly shared: boolean
  /** Undefined when it cannot be read. */
  readonly object: Instancetype | Preference | undefined
  /** Why it cannot be read; empty when it can. */
  readonly problem: string
  /** In the wanted version and sharing, and labelled as such. */
  readonly inForm: boolean
}

/** Looks into revisions. What it has seen it remembers for as long as the object lives. */
export type Inspect = (revision: ControllerRevision, family: Family | undefined, format: RevisionFormat) => InspectedRevision

/** The version of what cannot be read. */
export const unknownVersion = 'unknown'

/**
 * Makes one with an empty memory. The data of a revision never changes, and one whose labels change
 * is another object to a cache.
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
 * The oldest revisions are bare specs, of which only who names them knows what they are. Of one
 * that nobody names, what can be read is believed.
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

/**
 * What a revision that cannot be read says of its version. Only what is known counts: anything else
 * may be anything.
 */
function versionSaid({ data }: ControllerRevision): string {
  const apiVersion = data?.['apiVersion']
  const version = typeof apiVersion === 'string' ? parseApiVersion(apiVersion).version : ''
  return knownVersions.includes(version) ? version : unknownVersion
}
