import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Family } from '../matcher.ts'
import { latestVersion, type StashVersion } from './codec.ts'
import { familyOfKind, identityLabels, type Identified } from './labels.ts'

/**
 * How revisions are to be stored: in which API version, and whether each holder has its own or all
 * holders of one content share one.
 */
export interface RevisionFormat {
  readonly version: StashVersion
  readonly sharing: 'own' | 'shared'
}

/** The feature gate under which one revision serves all that have captured the same. */
const sharedRevisionsGate = 'SharedRevisions'

/** On a revision that belongs to nobody: it lives for as long as somebody names it. */
export const sharedLabel = 'steadyvm.io/shared'

/** The format that the cluster's configuration asks for. */
export function revisionFormatOf(config: Pick<ClusterConfig, 'featureGates'>): RevisionFormat {
  return { version: latestVersion(config), sharing: config.featureGates.includes(sharedRevisionsGate) ? 'shared' : 'own' }
}

/** Whether a revision belongs to all who name it. */
export function isShared({ metadata }: ControllerRevision): boolean {
  return metadata.labels?.[sharedLabel] === 'true'
}

/**
 * Whether a revision is stored as it should be: its data in the version, its labels telling what
 * the data say, and owned or shared. The name does not count: KubeVirt has changed it without
 * changing anything else.
 */
export function hasFormat(revision: ControllerRevision, family: Family, format: RevisionFormat): boolean {
  return holdsVersion(revision, family, format.version) && hasLabels(revision, format)
}

/**
 * Whether the data of a revision, which can never be changed, are in the version: the label is not
 * asked, it may lie.
 */
export function holdsVersion({ data }: ControllerRevision, family: Family, version: string): boolean {
  const { apiVersion, kind, spec } = (data ?? {}) as Identified & { readonly apiVersion?: unknown; readonly spec?: unknown }
  // The oldest revisions hold their spec as a text, and no kind.
  if (typeof apiVersion !== 'string' || typeof spec !== 'object' || spec === null || familyOfKind(kind) !== family) return false
  return parseApiVersion(apiVersion).version === version
}

function hasLabels({ metadata, data }: ControllerRevision, format: RevisionFormat): boolean {
  const { labels = {}, ownerReferences = [] } = metadata
  const wanted = { ...identityLabels((data ?? {}) as Identified, format.version), ...sharingLabels(format) }
  const found = Object.fromEntries(Object.keys({ ...wanted, [sharedLabel]: '' }).map((key) => [key, labels[key]]))
  // With an owner it would be collected together with the first of those who share it.
  return deepEqual(found, wanted) && (format.sharing === 'own' || ownerReferences.length === 0)
}

/** What tells a shared revision from one that has an owner. */
export function sharingLabels({ sharing }: RevisionFormat): Record<string, string> {
  return sharing === 'shared' ? { [sharedLabel]: 'true' } : {}
}
