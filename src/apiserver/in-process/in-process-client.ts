import { methodNotAllowed, pathNotFound } from '#apimachinery/errors.ts'
import type { KubeList, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, withType, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client, GetOptions, DeleteOptions, ListOptions, WatchEvent, WatchOptions, WriteOptions } from '#client/client.ts'
import type { ListQuery, MutationOptions, RequestContext, Target, UserInfo, Verbs, WatchOutput } from '../request/api-request.ts'
import type { ResourceDefinition, ResourceRegistry } from '../registry/resource-definition.ts'
import type { Entry } from '../storage/object-store.ts'
import { WatchBuffer } from './watch-buffer.ts'
import { wireCopy } from './wire-copy.ts'

/** Options of {@link createInProcessClient}. */
export interface InProcessClientOptions {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  /** User of all requests. There is no authorization here. */
  readonly user: UserInfo
  /**
   * Largest number of buffered events of a watch; above it the watch ends, and the reader resumes.
   * Default 16384.
   */
  readonly watchBuffer?: number
}

const defaultWatchBuffer = 16_384

/**
 * Implements the client interface without HTTP and serialization. Results are shared with the store
 * and must not be mutated; arguments are copied.
 */
export function createInProcessClient(options: InProcessClientOptions): Client {
  const { verbs, registry, user } = options

  const definitionOf = (resource: ResourceType<unknown>): ResourceDefinition => {
    const definition = registry.find(resource.group, resource.version, resource.plural)
    if (definition === undefined) throw pathNotFound()
    return definition
  }
  const contextOf = (signal: AbortSignal | undefined, fieldManager?: string): RequestContext => ({
    user,
    // Dropped: controllers that list all kinds also read deprecated ones.
    warn: () => {},
    signal: signal ?? never,
    fieldManager: fieldManager ?? user.username,
  })
  const never = new AbortController().signal
  const targetOf = (resource: ResourceType<unknown>, namespace: string | undefined, name: string, subresource = ''): Target => {
    const definition = definitionOf(resource)
    return { definition, namespace: definition.namespaced ? namespace : '', name, subresource }
  }
  const objectTarget = (resource: ResourceType<unknown>, key: Partial<ObjectKey>, subresource?: string): Target =>
    targetOf(resource, key.namespace ?? '', key.name ?? '', subresource)

  return {
    async get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, get: GetOptions = {}): Promise<T> {
      get.signal?.throwIfAborted()
      return objectOf<T>(await verbs.get(objectTarget(resource, key, get.subresource), contextOf(get.signal)))
    },
    async list<T extends KubeObject>(resource: ResourceType<T>, list: ListOptions = {}): Promise<KubeList<T>> {
      list.signal?.throwIfAborted()
      const target = targetOf(resource, list.namespace, '')
      const result = await verbs.list(target, listQuery(list), contextOf(list.signal))
      return {
        apiVersion: apiVersionOf(resource),
        kind: target.definition.listKind,
        metadata: {
          resourceVersion: String(result.revision),
          ...(result.continue === undefined ? {} : { continue: result.continue }),
          ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
        },
        items: result.entries.map(objectOf<T>),
      }
    },
    watch<T extends KubeObject>(resource: ResourceType<T>, watch: WatchOptions): AsyncIterable<WatchEvent<T>> {
      const start = (emit: (output: WatchOutput) => void, signal: AbortSignal): Promise<void> =>
        verbs.watch(
          targetOf(resource, watch.namespace, ''),
          {
            ...listQuery(watch),
            allowWatchBookmarks: watch.allowWatchBookmarks ?? false,
            sendInitialEvents: watch.sendInitialEvents,
            ...(watch.timeoutSeconds === undefined ? {} : { timeoutSeconds: watch.timeoutSeconds }),
          },
          emit,
          contextOf(signal),
        )
      return watchEvents<T>(resource, start, watch.signal, options.watchBuffer ?? defaultWatchBuffer)
    },
    async create<T extends KubeObject, R = T>(resource: ResourceType<T>, object: T | KubeObject, write: WriteOptions = {}): Promise<R> {
      write.signal?.throwIfAborted()
      const { namespace, name } = object.metadata ?? {}
      const target = targetOf(resource, namespace, write.subresource === undefined ? '' : (name ?? ''), write.subresource)
      // The body of a subresource has a type of its own. Custom resources need theirs.
      const typed = write.subresource === undefined ? withType<KubeObject>(resource, object) : object
      const body = { object: wireCopy(typed), duplicates: [] }
      return objectOf<R>(await verbs.create(target, body, mutationOf(write), contextOf(write.signal, write.fieldManager)))
    },
    async update<T extends KubeObject>(resource: ResourceType<T>, object: T, write: WriteOptions = {}): Promise<T> {
      write.signal?.throwIfAborted()
      const target = objectTarget(resource, object.metadata ?? {}, write.subresource)
      const isOwn = write.subresource === undefined || write.subresource === 'status'
      const body = { object: wireCopy(isOwn ? withType(resource, object) : object), duplicates: [] }
      return objectOf<T>(await verbs.update(target, body, mutationOf(write), contextOf(write.signal, write.fieldManager)))
    },
    async patch<T extends KubeObject>(
      resource: ResourceType<T>,
      key: ObjectKey,
      patch: Parameters<Client['patch']>[2],
      write: WriteOptions = {},
    ): Promise<T> {
      write.signal?.throwIfAborted()
      const target = objectTarget(resource, key, write.subresource)
      const { entry } = await verbs.patch(target, wireCopy(patch), mutationOf(write), contextOf(write.signal, write.fieldManager))
      return objectOf<T>(entry)
    },
    async delete<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, deletion: DeleteOptions = {}): Promise<void> {
      const { signal, dryRun, ...query } = deletion
      signal?.throwIfAborted()
      const target = objectTarget(resource, key)
      if (target.name === '') throw methodNotAllowed(target.definition, 'delete')
      await verbs.delete(target, { ...query, dryRun: dryRun ?? false }, contextOf(signal))
    },
  }
}

function objectOf<T>(entry: Entry): T {
  return entry.object as T
}

function mutationOf(write: WriteOptions): MutationOptions {
  return { dryRun: write.dryRun ?? false, fieldValidation: write.fieldValidation ?? 'Warn' }
}

function listQuery(options: ListOptions | WatchOptions): ListQuery {
  const { limit = 0, continue: continuation = '' } = options as ListOptions
  const { labelSelector = '', fieldSelector = '', resourceVersion = '', resourceVersionMatch = '' } = options
  return { labelSelector, fieldSelector, limit, continue: continuation, resourceVersion, resourceVersionMatch }
}

/**
 * Converts the callbacks of a watch to an iterable. Leaving the loop or aborting ends the watch
 * without an error.
 */
async function* watchEvents<T extends KubeObject>(
  resource: ResourceType<T>,
  start: (emit: (output: WatchOutput) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  limit: number,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  if (signal.aborted) return
  const stop = new AbortController()
  const onAbort = (): void => stop.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  const buffer = new WatchBuffer(limit, onAbort)
  const running = start((output) => buffer.push(output), stop.signal).finally(() => buffer.end())
  // Awaited after the buffer is drained; until then, a failure must not count as unhandled.
  running.catch(() => {})
  try {
    while (!signal.aborted) {
      const output = buffer.shift()
      if (output !== undefined) yield eventOf<T>(resource, output)
      else if (buffer.ended) return await running
      else await buffer.filled()
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

function eventOf<T extends KubeObject>(resource: ResourceType<T>, output: WatchOutput): WatchEvent<T> {
  if (output.type !== 'BOOKMARK') return { type: output.type, object: objectOf<T>(output.entry) }
  const bookmark: KubeObject = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      resourceVersion: String(output.revision),
      ...(output.initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  }
  return { type: 'BOOKMARK', object: bookmark as T }
}
