import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { isConflict } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { rewriteObjects, type Refusal, type RewriteOptions } from './rewrite-objects.ts'
import { servedResource, storedVersionsOf } from './stored-versions.ts'

/** Result of a migration. */
export interface Migration {
  /** Name of the CRD. */
  readonly definition: string
  readonly from: readonly string[]
  readonly to: string
  readonly objects: number
  /** Objects that could not be rewritten, for which the old versions are kept. */
  readonly refusals: readonly Refusal[]
  /**
   * `changed`: the CRD was changed meanwhile; start again. `unserved`: no version is served to
   * rewrite objects with.
   */
  readonly outcome: 'migrated' | 'refused' | 'changed' | 'unserved'
}

/**
 * Rewrites all objects of a kind in the storage version, then removes the other versions from
 * `status.storedVersions`, so that they can be dropped. Derives everything from the CRD: may be
 * interrupted at any point, and run concurrently.
 */
export async function migrateStorage(
  client: Pick<Client, 'get' | 'list' | 'patch'>,
  definition: CustomResourceDefinition,
  options: RewriteOptions,
): Promise<Migration> {
  const { storage, stale } = storedVersionsOf(definition)
  const about = { definition: definition.metadata.name ?? '', from: stale, to: storage }
  const resource = servedResource(definition)
  if (resource === undefined) return { ...about, objects: 0, refusals: [], outcome: 'unserved' }
  const { objects, refusals } = await rewriteObjects(client, resource, options)
  if (refusals.length > 0) return { ...about, objects, refusals, outcome: 'refused' }
  const isTrimmed = await trim(client, definition, storage)
  return { ...about, objects, refusals, outcome: isTrimmed ? 'migrated' : 'changed' }
}

/**
 * Trims `status.storedVersions`. `before` is the CRD as of before the first read: no object may
 * have been stored in another version since.
 */
async function trim(client: Pick<Client, 'get' | 'patch'>, before: CustomResourceDefinition, storage: string): Promise<boolean> {
  const { name = '', uid, generation } = before.metadata
  let read = before
  for (;;) {
    try {
      const change = { metadata: { uid }, status: { storedVersions: [storage] } }
      await patchIfUnchanged(client, customResourceDefinitions, read, change, { subresource: 'status' })
      return true
    } catch (error) {
      if (!isConflict(error)) throw error
    }
    // Compare the generation; the status changes without a change of versions.
    read = await client.get(customResourceDefinitions, { name })
    if (read.metadata.uid !== uid || read.metadata.generation !== generation) return false
  }
}
