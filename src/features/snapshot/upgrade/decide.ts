import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import {
  type Family,
  type Instancetype,
  hasFormat,
  type Holder,
  isNamedAfterCapture,
  isRevisionOf,
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
  /** Owner of the revisions: the snapshot, or its content once the snapshot is gone. */
  readonly holder: Holder
  /** All that the content names and the owner owns, as far as they exist. */
  readonly revisions: ReadonlyMap<string, ControllerRevision>
  /** Format that the cluster requires. */
  readonly format: RevisionFormat
  /** True if a restore reads the revisions now, or the snapshot is about to be deleted. */
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
  const { content, revisions, holder } = observed
  if (observed.isBusy || isBeingDeleted(content)) return nothing
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
    // Also those to be replaced: only owned revisions are deleted.
    orphans: references.flatMap(({ revision: name, family }) => {
      const revision = revisions.get(name)
      if (revision === undefined || isShared(revision) || controllerOf(revision) !== undefined) return []
      const named = { family, called: content.spec.source.virtualMachine?.spec?.[family] ?? {} }
      return isNamedAfterCapture(holder, revision, named) ? [revision] : []
    }),
    superfluous: isWhole
      ? [...revisions.values()].filter(
          (revision) => isRevisionOf(revision, holder.uid, content.metadata.uid) && isLeftOver(revision, observed),
        )
      : [],
    problems,
  }
}

/** Reports whether a revision has the wanted format and no other controller owner. */
function isSettled(revision: ControllerRevision, family: Family, { format, holder }: Observed): boolean {
  const owner = controllerOf(revision)
  const foreign = owner !== undefined && owner.uid !== holder.uid
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
