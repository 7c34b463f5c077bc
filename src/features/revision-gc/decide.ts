import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { claimGraceMs, claimedAt, isSharedCapture } from '#features/instancetype/index.ts'

/** Actions for the shared revisions of a namespace. */
export interface Decision {
  /** Revisions without known reference and valid claim: the API is asked about them. */
  readonly candidates: readonly ControllerRevision[]
  /** Milliseconds until the next check. Absent: no revision is shared here. */
  readonly recheckMs: number | undefined
}

/** Selects shared revisions that may be garbage. `isNamed` is the knowledge of the caches. */
export function decide(shared: readonly ControllerRevision[], isNamed: (revision: ControllerRevision) => boolean, now: number): Decision {
  const unnamed = shared.filter((revision) => !isNamed(revision) && !isBeingDeleted(revision))
  const expired = unnamed.filter((revision) => isClaimOver(revision, now))
  const candidates = expired.filter(isSharedCapture)
  const claimed = unnamed.filter((revision) => !isClaimOver(revision, now))
  const ends = claimed.map((revision) => lastUse(revision) + claimGraceMs + 1 - now)
  // A reference that is removed raises no event here, so check periodically.
  return { candidates, recheckMs: shared.length === 0 ? undefined : Math.min(claimGraceMs, ...ends) }
}

/**
 * Reports whether the last claim has expired: its client references the revision now, or never
 * will.
 */
function isClaimOver(revision: ControllerRevision, now: number): boolean {
  return now - lastUse(revision) > claimGraceMs
}

/**
 * A revision without claim comes from a backup, or from a user. It gets the same time to be
 * referenced.
 */
function lastUse(revision: ControllerRevision): number {
  const made = Date.parse(revision.metadata.creationTimestamp ?? '')
  return claimedAt(revision) ?? (Number.isNaN(made) ? 0 : made)
}
