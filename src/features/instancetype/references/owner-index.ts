import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'

/** Index of revisions by the uid of the managing owner. */
export const revisionsByOwner = 'owner'

/** See {@link revisionsByOwner}. */
export function ownerUids(revision: ControllerRevision): readonly string[] {
  return (revision.metadata.ownerReferences ?? []).filter((owner) => owner.controller === true).map((owner) => owner.uid)
}
