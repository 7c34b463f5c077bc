import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { holdsTemplate, planRevisions, type Revised } from './revisions.ts'

/** Another ControllerRevision has the name of the template's hash. */
export class RevisionCollision extends Error {
  override readonly name = 'RevisionCollision'
}

/**
 * Brings the history up to date. Resolves to the revision of the current template. @throws
 * RevisionCollision
 */
export async function syncRevisions<O extends Revised>(
  client: Client,
  { resource, owner }: { readonly resource: ResourceType<O>; readonly owner: O },
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  signal: AbortSignal,
): Promise<ControllerRevision> {
  const { current, isNew, renumberTo, remove } = planRevisions(resource, owner, revisions, isLive)
  if (isBeingDeleted(owner)) return current
  for (const { metadata } of remove) {
    const { namespace = '', name = '', uid = '' } = metadata
    await ignoreRaces(client.delete(controllerRevisions, { namespace, name }, { preconditions: { uid }, signal }))
  }
  if (isNew) return create(client, owner, current, signal)
  if (renumberTo === undefined) return current
  const { namespace = '', name = '', uid, resourceVersion } = current.metadata
  const body = { metadata: { uid, resourceVersion }, revision: renumberTo }
  return client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body }, { signal })
}

async function create(client: Client, owner: Revised, revision: ControllerRevision, signal: AbortSignal): Promise<ControllerRevision> {
  try {
    return await client.create(controllerRevisions, revision, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { namespace = '', name = '' } = revision.metadata
    const found = await client.get(controllerRevisions, { namespace, name }, { signal })
    // Ours: our cache did not know it yet.
    if (isControlledBy(found, owner) && holdsTemplate(found, owner)) return found
    throw new RevisionCollision(`ControllerRevision "${name}" exists and does not hold this template`, { cause: error })
  }
}

async function ignoreRaces(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
