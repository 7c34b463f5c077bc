import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isConflict, isExpired, isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { inParallel } from './in-parallel.ts'

/** An object that could not be written. */
export interface Refusal {
  /** `namespace/name`, or the name of one without namespace. */
  readonly object: string
  readonly message: string
}

/** What became of the objects of a kind. */
export interface Rewritten {
  readonly objects: number
  readonly refusals: readonly Refusal[]
}

/** How objects are rewritten. */
export interface RewriteOptions {
  /** Requests under way at once. */
  readonly concurrency: number
  readonly signal?: AbortSignal
  /** Called after each page; `total` is a guess of the server. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Objects of a page. */
const pageSize = 500
/** Times that a list may grow too old while it is walked through. */
const patience = 5

/**
 * Writes every object of a kind as it is: the server stores it anew, in today's version, if it was
 * stored in another, and does nothing otherwise. So it can be cut anywhere and run again. @throws
 * TransportError, StatusError when the kind cannot be listed
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
      // From the start: what is done already costs a request each, and no write.
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

/** How many objects of a kind there are, as far as the server counts them. */
export async function countObjects(client: Pick<Client, 'list'>, resource: ResourceType<KubeObject>): Promise<number> {
  const { items, metadata } = await client.list(resource, { limit: 1 })
  return items.length + (metadata?.remainingItemCount ?? 0)
}

/** Writes one object as it is; gives why it was refused. */
async function rewrite(
  client: Pick<Client, 'patch'>,
  resource: ResourceType<KubeObject>,
  { metadata }: KubeObject,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { namespace = '', name = '', uid, resourceVersion } = metadata ?? {}
  const key = resource.namespaced ? { namespace, name } : { name }
  try {
    const body = { metadata: { uid, resourceVersion } }
    await client.patch(resource, key, { type: 'merge', body }, signal === undefined ? {} : { signal })
    return undefined
  } catch (error) {
    // Somebody else has written it since, in today's version, or it is gone.
    if (isConflict(error) || isNotFound(error)) return undefined
    if (error instanceof StatusError) return error.message
    throw error
  }
}

function nameOf({ metadata: { namespace = '', name = '' } = {} }: KubeObject): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
