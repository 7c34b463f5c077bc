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
    const place = { resource: definition.storageKey, namespace, name, expected }
    if (stored === undefined) return views.of(definition, await store.write({ ...place, object: undefined }))
    // Trusted before the commit, not after: watchers are shown the entry during it, and each new one would be pruned and defaulted once more for them.
    const onAccepted = (entry: Entry): void => views.trust(definition, entry)
    return views.of(definition, await store.write({ ...place, object: stored, onAccepted }))
  } catch (error) {
    throw error instanceof StorageFailed ? internalError(error.message, error) : error
  }
}
