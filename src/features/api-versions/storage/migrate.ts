import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { isConflict } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { rewriteObjects, type Refusal, type RewriteOptions } from './rewrite-objects.ts'
import { servedResource, storedVersionsOf } from './stored-versions.ts'

/** How a migration went. */
export interface Migration {
  /** Name of the definition. */
  readonly definition: string
  readonly from: readonly string[]
  readonly to: string
  readonly objects: number
  /** Objects that could not be written: the old versions stay until they can. */
  readonly refusals: readonly Refusal[]
  /**
   * `changed`: the definition was, so that all has to be looked at again. `unserved`: no version can be written through.
   */
  readonly outcome: 'migrated' | 'refused' | 'changed' | 'unserved'
}

/**
 * Brings all objects of a kind to the version in which they are stored today, then takes the others
 * off `status.storedVersions`, so that they can be removed from the API. Everything is derived from
 * the definition: it can be cut anywhere and run again, also by several at once.
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
 * The definition of before the first object was read: since then nobody may have stored anything in
 * another version.
 */
async function trim(client: Pick<Client, 'get' | 'patch'>, { metadata }: CustomResourceDefinition, storage: string): Promise<boolean> {
  const { name = '', uid, generation } = metadata
  let { resourceVersion } = metadata
  for (;;) {
    const body = { metadata: { uid, resourceVersion }, status: { storedVersions: [storage] } }
    try {
      await client.patch(customResourceDefinitions, { name }, { type: 'merge', body }, { subresource: 'status' })
      return true
    } catch (error) {
      if (!isConflict(error)) throw error
    }
    // Conditions come and go; the generation is that of the versions.
    const now = await client.get(customResourceDefinitions, { name })
    if (now.metadata.uid !== uid || now.metadata.generation !== generation) return false
    resourceVersion = now.metadata.resourceVersion
  }
}
