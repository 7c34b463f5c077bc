import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isConflict, isExpired, isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { inParallel } from './in-parallel.ts'

/** An object that could not be rewritten. */
export interface Refusal {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly object: string
  readonly message: string
}

/** Result of rewriting the objects of a kind. */
export interface Rewritten {
  readonly objects: number
  readonly refusals: readonly Refusal[]
}

/** Options of {@link rewriteObjects}. */
export interface RewriteOptions {
  /** Maximum number of concurrent requests. */
  readonly concurrency: number
  readonly signal?: AbortSignal
  /** Called after each page; `total` is an estimate of the server. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Objects per page. */
const pageSize = 500
/** Maximum restarts of a list whose continue token has expired. */
const patience = 5

/**
 * Writes every object of a kind unchanged, which makes the server store it in the storage version
 * and is a no-op otherwise. May be interrupted and repeated. @throws TransportError, StatusError
 * when the kind cannot be listed
 */
export async function rewriteObjects(
  client: Pick<Client, 'list' | 'patch'>,
  resource: ResourceType<KubeObject>,
  options: RewriteOptions,
): Promise<Rewritten> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await walk(client, resource, options)
    } catch (error) {
      // Start again: rewritten objects cost a request, but no write.
      if (!isExpired(error) || attempt === patience) throw error
    }
  }
}

async function walk(
  client: Pick<Client, 'list' | 'patch'>,
  resource: ResourceType<KubeObject>,
  { concurrency, signal, onProgress }: RewriteOptions,
): Promise<Rewritten> {
  const refusals: Refusal[] = []
  let objects = 0
  let next = ''
  do {
    const page = await client.list(resource, {
      limit: pageSize,
      ...(next === '' ? {} : { continue: next }),
      ...(signal === undefined ? {} : { signal }),
    })
    await inParallel(page.items, concurrency, async (object) => {
      const message = await rewrite(client, resource, object, signal)
      if (message !== undefined) refusals.push({ object: nameOf(object), message })
    })
    objects += page.items.length
    onProgress?.(objects, objects + (page.metadata?.remainingItemCount ?? 0))
    next = page.metadata?.continue ?? ''
  } while (next !== '')
  return { objects, refusals }
}

/** Returns the number of objects of a kind, as estimated by the server. */
export async function countObjects(client: Pick<Client, 'list'>, resource: ResourceType<KubeObject>): Promise<number> {
  const { items, metadata } = await client.list(resource, { limit: 1 })
  return items.length + (metadata?.remainingItemCount ?? 0)
}

/** Writes one object unchanged. Returns why it was refused. */
async function rewrite(
  client: Pick<Client, 'patch'>,
  resource: ResourceType<KubeObject>,
  object: KubeObject,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const metadata = { uid: object.metadata?.uid }
    await patchIfUnchanged(client, resource, object, { metadata }, signal === undefined ? {} : { signal })
    return undefined
  } catch (error) {
    // The object was written meanwhile, in the storage version, or deleted.
    if (isConflict(error) || isNotFound(error)) return undefined
    if (error instanceof StatusError) return error.message
    throw error
  }
}

function nameOf({ metadata: { namespace = '', name = '' } = {} }: KubeObject): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
