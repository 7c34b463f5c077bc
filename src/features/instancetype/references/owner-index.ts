import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'

/** Index of revisions by the UID of their controller owner. */
export const revisionsByOwner = 'owner'

/** See {@link revisionsByOwner}. */
export function ownerUids(revision: ControllerRevision): readonly string[] {
  return (revision.metadata.ownerReferences ?? []).filter((owner) => owner.controller === true).map((owner) => owner.uid)
}

/** Index of VMs by the revisions that their spec and status name. */
export const vmsByRevision = 'revision'
/** Index of start revisions by the revisions that they name. */
export const startsByRevision = 'started-from'
/** Index of the content of snapshots by the revisions that it names. */
export const contentsByRevision = 'revision'

/**
 * Reports whether a revision belongs to these owners: a controller deletes only such revisions and
 * shared captures. Any other one may belong to a user, a backup tool or another controller. VMs
 * that adopted it as well do not count: each keeps it by a reference, which is checked apart.
 */
export function isRevisionOf({ metadata }: ControllerRevision, ...uids: readonly (string | undefined)[]): boolean {
  const { ownerReferences = [] } = metadata
  const isOurs = ownerReferences.some(({ uid }) => uids.includes(uid))
  return (
    isOurs && ownerReferences.every(({ uid, kind, controller }) => uids.includes(uid) || (kind === 'VirtualMachine' && controller !== true))
  )
}
