import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Family } from '../matcher.ts'
import { latestVersion, type StashVersion } from './codec.ts'
import { familyOfKind, identityLabels, type Identified } from './labels.ts'

/**
 * Storage format of revisions: API version, and whether each holder has its own revision or all
 * holders of the same content share one.
 */
export interface RevisionFormat {
  readonly version: StashVersion
  readonly sharing: 'own' | 'shared'
}

/** Feature gate of shared revisions. */
const sharedRevisionsGate = 'SharedRevisions'

/** On a shared revision, which has no owner and is kept while it has references. */
export const sharedLabel = 'steadyvm.io/shared'

/** Returns the format that the cluster's configuration asks for. */
export function revisionFormatOf(config: Pick<ClusterConfig, 'featureGates'>): RevisionFormat {
  return { version: latestVersion(config), sharing: config.featureGates.includes(sharedRevisionsGate) ? 'shared' : 'own' }
}

/** Reports whether a revision has the label of shared ones. */
export function isShared({ metadata }: ControllerRevision): boolean {
  return metadata.labels?.[sharedLabel] === 'true'
}

/**
 * Reports whether a revision is stored in a format: version of its data, labels and owners. The
 * name does not count: KubeVirt changed its form without touching existing revisions.
 */
export function hasFormat(revision: ControllerRevision, family: Family, format: RevisionFormat): boolean {
  return holdsVersion(revision, family, format.version) && hasLabels(revision, format)
}

/** Reports whether the data of a revision are in a version. The label may be wrong. */
export function holdsVersion({ data }: ControllerRevision, family: Family, version: string): boolean {
  const { apiVersion, kind, spec } = (data ?? {}) as Identified & { readonly apiVersion?: unknown; readonly spec?: unknown }
  // The oldest revisions hold the spec as a string, without kind.
  if (typeof apiVersion !== 'string' || typeof spec !== 'object' || spec === null || familyOfKind(kind) !== family) return false
  return parseApiVersion(apiVersion).version === version
}

function hasLabels({ metadata, data }: ControllerRevision, format: RevisionFormat): boolean {
  const { labels = {}, ownerReferences = [] } = metadata
  const wanted = { ...identityLabels((data ?? {}) as Identified, format.version), ...sharingLabels(format) }
  const found = Object.fromEntries(Object.keys({ ...wanted, [sharedLabel]: '' }).map((key) => [key, labels[key]]))
  // An owned one would be garbage-collected with its first user.
  return deepEqual(found, wanted) && (format.sharing === 'own' || ownerReferences.length === 0)
}

/** Returns the labels of shared revisions. */
export function sharingLabels({ sharing }: RevisionFormat): Record<string, string> {
  return sharing === 'shared' ? { [sharedLabel]: 'true' } : {}
}
