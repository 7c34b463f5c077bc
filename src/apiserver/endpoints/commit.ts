import { internalError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type Entry, StorageFailed } from '#apiserver/storage/object-store.ts'
import type { Target } from './api-request.ts'
import type { Environment } from './environment.ts'
import { withApiVersion } from './views.ts'

/**
 * Stores the object, or removes it when there is none, provided that the stored revision is still the expected one.
 * @throws RevisionMismatch when it is not: the caller computes anew; StatusError 500 when the disk refuses
 */
export async function commit(environment: Environment, target: Target, expected: number, object: KubeObject | undefined): Promise<Entry> {
  const { store, views } = environment
  const { definition, namespace = '', name } = target
  const stored = object === undefined ? undefined : withApiVersion(object, definition.storageApiVersion)
  try {
    const entry = await store.write({ resource: definition.storageKey, namespace, name, expected, object: stored })
    if (object !== undefined) views.trust(definition, entry)
    return views.of(definition, entry)
  } catch (error) {
    throw error instanceof StorageFailed ? internalError(error.message, error) : error
  }
}
