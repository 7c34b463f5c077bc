import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { claimGraceMs, claimedAt } from '#features/instancetype/index.ts'

/** What to do about the shared revisions of a namespace. */
export interface Decision {
  /** Nobody names them as far as is known, and nobody can be about to: worth asking. */
  readonly candidates: readonly ControllerRevision[]
  /** Milliseconds until the next look. Absent: nothing is shared here. */
  readonly recheckMs: number | undefined
}

/** Says which shared revisions may be garbage. `isNamed` is what the caches know. */
export function decide(shared: readonly ControllerRevision[], isNamed: (revision: ControllerRevision) => boolean, now: number): Decision {
  const unnamed = shared.filter((revision) => !isNamed(revision) && revision.metadata.deletionTimestamp == null)
  const suspects = unnamed.filter((revision) => isClaimOver(revision, now))
  const claimed = unnamed.filter((revision) => !suspects.includes(revision))
  const ends = claimed.map((revision) => lastUse(revision) + claimGraceMs + 1 - now)
  // Nobody tells when a VM, a start or a snapshot stops naming one: that is looked up now and then.
  return { candidates: suspects, recheckMs: shared.length === 0 ? undefined : Math.min(claimGraceMs, ...ends) }
}

/** Whether everybody who has claimed it names it by now, or never will. */
function isClaimOver(revision: ControllerRevision, now: number): boolean {
  return now - lastUse(revision) > claimGraceMs
}

/**
 * One that was never claimed comes from a backup, or from a user. It is given the time to be named,
 * too.
 */
function lastUse(revision: ControllerRevision): number {
  const made = Date.parse(revision.metadata.creationTimestamp ?? '')
  return claimedAt(revision) ?? (Number.isNaN(made) ? 0 : made)
}
