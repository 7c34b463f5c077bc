import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { CacheEvent, Informer } from '../cache/lister.ts'
import type { AddOptions } from '../workqueue/workqueue.ts'
import type { Request } from './reconcile.ts'

/** Puts a request into a controller's queue. */
export type Enqueue = (request: Request, options?: AddOptions) => void

/** A source of keys for a controller. */
export interface Source {
  /** Starts to enqueue. Dispose to stop. */
  start(enqueue: Enqueue): Disposable
  /** Resolves when everything that existed at the start has been enqueued. */
  synced(signal: AbortSignal): Promise<void>
}

/** Maps an object to reconcile requests. */
export type MapToRequests<T> = (object: T) => readonly Request[]

/** Filters of {@link watchResource}. */
export interface WatchResourceOptions<T> {
  /** Default: every event counts. */
  readonly predicate?: (event: CacheEvent<T>) => boolean
}

/** Priority of objects that existed before the controller started, below that of changes. */
export const initialPriority: number = -100

/**
 * Enqueues keys for the events of an informer. For updates, both the old and the new state are
 * mapped, so that the previous target is reconciled, too.
 */
export function watchResource<T extends KubeObject>(
  informer: Informer<T>,
  map: MapToRequests<T>,
  options: WatchResourceOptions<T> = {},
): Source {
  return {
    start(enqueue) {
      let replaying = true
      const registration = informer.onEvent((event) => {
        if (options.predicate?.(event) === false) return
        const initial = event.type === 'added' && (replaying || !informer.hasSynced)
        for (const request of requestsOf(event, map)) enqueue(request, initial ? { priority: initialPriority } : {})
      })
      replaying = false
      return registration
    },
    synced: (signal) => informer.synced(signal),
  }
}

function requestsOf<T>(event: CacheEvent<T>, map: MapToRequests<T>): readonly Request[] {
  if (event.type !== 'updated' || event.old === event.object) return map(event.object)
  return [...map(event.object), ...map(event.old)]
}

/** The object itself. */
export function enqueueSelf(object: KubeObject): readonly Request[] {
  return [keyOf(object)]
}

/** The object's controlling owner, if it is of the given kind. Any version of the group counts. */
export function enqueueOwner(owner: { readonly group: string; readonly kind: string }): MapToRequests<KubeObject> {
  return (object) =>
    (object.metadata?.ownerReferences ?? [])
      .filter((reference) => reference.controller === true && reference.kind === owner.kind)
      .filter((reference) => parseApiVersion(reference.apiVersion).group === owner.group)
      .map((reference) => ({ namespace: object.metadata?.namespace ?? '', name: reference.name }))
}

/** Enqueues the keys that a function returns. */
export function enqueueMapped<T extends KubeObject>(map: (object: T) => readonly Request[]): MapToRequests<T> {
  return map
}

/** A source that is triggered by code, for changes that no API object shows. */
export interface ChannelSource extends Source {
  enqueue(request: Request, options?: AddOptions): void
}

/** Creates a source to trigger. Keys from before the start are kept until the start. */
export function channelSource(): ChannelSource {
  const early: [Request, AddOptions | undefined][] = []
  let target: Enqueue | undefined
  return {
    enqueue(request, options) {
      if (target === undefined) early.push([request, options])
      else target(request, options)
    },
    start(enqueue) {
      target = enqueue
      for (const [request, options] of early.splice(0)) enqueue(request, options)
      return { [Symbol.dispose]: () => (target = undefined) }
    },
    synced: () => Promise.resolve(),
  }
}
