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

/** Observed state of the content of a snapshot, and of its revisions. */
export interface Observed {
  readonly content: VirtualMachineSnapshotContent
  /** Owner of the revisions: the snapshot, or the content when it has outlived it. */
  readonly owner: string
  /** All that the content names and the owner owns, as far as they exist. */
  readonly revisions: ReadonlyMap<string, ControllerRevision>
  /** Format that the cluster requires. */
  readonly format: RevisionFormat
  /** Whether a restore reads the revisions now, or the snapshot is about to be deleted. */
  readonly isBusy: boolean
  /** Reports whether an object besides this content references a revision. */
  readonly isReferredElsewhere: (revision: string) => boolean
}

/** A revision to replace: its content is stored again. */
export interface Replacement {
  readonly old: string
  readonly family: Family
  readonly object: Instancetype | Preference
  /** JSON pointer of the place in the content. */
  readonly path: string
}

/** Actions for the content of a snapshot. */
export interface Decision {
  readonly replacements: readonly Replacement[]
  /** Revisions without owner. */
  readonly orphans: readonly ControllerRevision[]
  readonly superfluous: readonly ControllerRevision[]
  /** Reasons why revisions cannot be replaced. */
  readonly problems: readonly string[]
}

const nothing: Decision = { replacements: [], orphans: [], superfluous: [], problems: [] }

/**
 * Decides which revisions of a snapshot to replace, adopt and delete. Replaced revisions are
 * deleted only when nothing is left to replace.
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
    // Also replaced ones: a revision without owner is never garbage collected.
    orphans: named.filter((revision) => !isShared(revision) && ownerOf(revision) === undefined),
    superfluous: isWhole ? [...revisions.values()].filter((revision) => isOwn(revision, observed) && isLeftOver(revision, observed)) : [],
    problems,
  }
}

/** In the required format, and not owned by an object that is about to be deleted. */
function isSettled(revision: ControllerRevision, family: Family, { format, owner }: Observed): boolean {
  const foreign = ownerOf(revision) !== undefined && ownerOf(revision) !== owner
  return hasFormat(revision, family, format) && (format.sharing === 'shared' || !foreign)
}

/**
 * Also in the required format: it was created for a snapshot that was deleted before its content
 * referenced it. A controller that still wants to reference it sees it in the list of replaced
 * names.
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
