import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Ports } from './ports.ts'

/** Deletes a revision, unless it has changed since it was looked at. */
export async function drop({ client }: Ports, { metadata }: ControllerRevision): Promise<void> {
  const { name = '', namespace = '', uid, resourceVersion } = metadata
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
  try {
    await client.delete(controllerRevisions, { namespace, name }, { preconditions })
  } catch (error) {
    // Gone already, or in use again: the next look tells.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
