import { isNotFound } from '#apimachinery/errors.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { DeleteQuery, ListQuery, ListResult, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { deleteObject } from '../write/delete-object.ts'
import type { Environment } from '../environment.ts'
import { list } from './list.ts'

/** Number of concurrent deletes, which share commits. */
const width = 64

/** Deletes every selected object, each through admission, and returns their last states. */
export async function deleteCollection(
  environment: Environment,
  target: Target,
  query: ListQuery,
  options: DeleteQuery,
  context: RequestContext,
): Promise<ListResult> {
  const found = await list(environment, target, query, context)
  for (let start = 0; start < found.entries.length; start += width) {
    const batch = found.entries.slice(start, start + width)
    await Promise.all(batch.map((entry) => deleteOne(environment, target, entry, options, context)))
  }
  return found
}

async function deleteOne(
  environment: Environment,
  collection: Target,
  entry: Entry,
  options: DeleteQuery,
  context: RequestContext,
): Promise<void> {
  const { namespace, name = '' } = entry.object.metadata ?? {}
  try {
    await deleteObject(environment, { ...collection, namespace: namespace ?? collection.namespace, name }, options, context)
  } catch (error) {
    // Another request deleted it first.
    if (!isNotFound(error)) throw error
  }
}
