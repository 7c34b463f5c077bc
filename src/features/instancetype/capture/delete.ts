import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'

/**
 * Deletes a revision unless it has changed since it was read. Returns whether this call deleted it.
 * @throws StatusError
 */
export async function deleteRevision(client: Pick<Client, 'delete'>, { metadata }: ControllerRevision): Promise<boolean> {
  const { name = '', namespace = '', uid, resourceVersion } = metadata
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
  try {
    await client.delete(controllerRevisions, { namespace, name }, { preconditions })
    return true
  } catch (error) {
    // It is gone, or in use again.
    if (!isNotFound(error) && !isConflict(error)) throw error
    return false
  }
}
