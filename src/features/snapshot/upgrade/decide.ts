import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import {
  type Family,
  type Instancetype,
  hasFormat,
  isShared,
  objectInRevision,
  type Preference,
  referencesOf,
  type RevisionFormat,
} from '#features/instancetype/index.ts'
import { withPublisher } from '../capture/copied-object.ts'

/** What is known of the content of a snapshot, and of the revisions that it names. */
export interface Observed {
  readonly content: VirtualMachineSnapshotContent
  /** Who owns the revisions: the snapshot, or the content when it has outlived it. */
  readonly owner: string
  /** All that the content names and the owner owns, as far as they exist. */
  readonly revisions: ReadonlyMap<string, ControllerRevision>
  /** How the cluster wants them to be. */
  readonly format: RevisionFormat
  /** Whether a restore reads them at this moment, or the snapshot is about to go. */
  readonly isBusy: boolean
  /** Whether anybody but this content names a revision. */
  readonly isReferredElsewhere: (revision: string) => boolean
}

/** A revision that is not as it should be: what it holds is to be stored again. */
export interface Replacement {
  readonly old: string
  readonly family: Family
  readonly object: Instancetype | Preference
  /** JSON pointer of the place in the content. */
  readonly path: string
}

/** What is to be done for the content of a snapshot. */
export interface Decision {
  readonly replacements: readonly Replacement[]
  /** Nobody's. */
  readonly orphans: readonly ControllerRevision[]
  readonly superfluous: readonly ControllerRevision[]
  /** Why of a revision nothing can be made. */
  readonly problems: readonly string[]
}

const nothing: Decision = { replacements: [], orphans: [], superfluous: [], problems: [] }

/**
 * Decides which revisions of a snapshot are to be replaced, taken over and dropped. What was
 * replaced is only dropped when nothing is left to replace.
 */
export function decide(observed: Observed): Decision {
  const { content, revisions } = observed
  if (observed.isBusy || content.metadata.deletionTimestamp !== undefined) return nothing
  const replacements: Replacement[] = []
  const problems: string[] = []
  const references = referencesOf(content)
  for (const { revision: old, family, path } of references) {
    const revision = revisions.get(old)
    if (revision === undefined || isSettled(revision, family, observed)) continue
    try {
      const called = content.spec.source.virtualMachine?.spec?.[family] ?? {}
      replacements.push({ old, family, object: withPublisher(objectInRevision(revision, family, called), revision), path })
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  const named = references.flatMap(({ revision }) => revisions.get(revision) ?? [])
  const isWhole = replacements.length + problems.length === 0 && named.length === references.length
  return {
    replacements,
    // Also those that are replaced: what belongs to nobody is dropped by nobody.
    orphans: named.filter((revision) => !isShared(revision) && ownerOf(revision) === undefined),
    superfluous: isWhole ? [...revisions.values()].filter((revision) => isOwn(revision, observed) && isLeftOver(revision, observed)) : [],
    problems,
  }
}

/** In the format that is wanted, and not about to vanish with somebody else. */
function isSettled(revision: ControllerRevision, family: Family, { format, owner }: Observed): boolean {
  const foreign = ownerOf(revision) !== undefined && ownerOf(revision) !== owner
  return hasFormat(revision, family, format) && (format.sharing === 'shared' || !foreign)
}

/**
 * Also in the format that is wanted: it was made for a snapshot that went before its content named
 * it. Whoever still wants to name it sees that it is given up.
 */
function isLeftOver(revision: ControllerRevision, { content, isReferredElsewhere }: Observed): boolean {
  const { name = '' } = revision.metadata
  return referencesOf(content).every((reference) => reference.revision !== name) && !isReferredElsewhere(name)
}

/** Of the snapshot, or of its content. */
function isOwn(revision: ControllerRevision, { owner, content }: Observed): boolean {
  return [owner, content.metadata.uid].includes(ownerOf(revision) ?? '')
}

function ownerOf({ metadata }: ControllerRevision): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
}
