import type { KubeList, KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string }

/** A patch and its media type. */
export type Patch =
  | { type: 'json'; operations: readonly JsonPatchOperation[] }
  | { type: 'merge'; body: object }
  | { type: 'strategic'; body: object }
  | { type: 'apply'; body: KubeObject; fieldManager: string; force?: boolean }

/** Filters of a list or watch. */
export interface Selection {
  namespace?: string
  /** `a=b,c in (d,e)`. */
  labelSelector?: string
  /** `metadata.name=x`. */
  fieldSelector?: string
}

/** Options of {@link Client.get}. */
export interface GetOptions {
  /** `status`, `scale` … The answer has a type of its own. */
  subresource?: string
  signal?: AbortSignal
}

/** Options of {@link Client.list}. */
export interface ListOptions extends Selection {
  limit?: number
  continue?: string
  resourceVersion?: string
  resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  signal?: AbortSignal
}

/** Options of {@link Client.watch}. */
export interface WatchOptions extends Selection {
  resourceVersion?: string
  allowWatchBookmarks?: boolean
  sendInitialEvents?: boolean
  resourceVersionMatch?: 'NotOlderThan'
  /** Seconds after which the server ends the watch. */
  timeoutSeconds?: number
  signal: AbortSignal
}

/** Options of every write. */
export interface WriteOptions {
  dryRun?: boolean
  fieldManager?: string
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** `status`, `binding`, `eviction`, `scale` … */
  subresource?: string
  signal?: AbortSignal
}

/** Options of {@link Client.delete}. */
export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: boolean
  signal?: AbortSignal
}

/** An event of a watch. ERROR never reaches the caller: it is thrown as a StatusError. */
export interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: T
}

/**
 * The API client of every component, in both modes. Returned objects may be shared with caches:
 * never mutate them. Every method rejects with a StatusError when the server refuses, and with a
 * TransportError when it is unreachable.
 */
export interface Client {
  get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options?: GetOptions): Promise<T>
  list<T extends KubeObject>(resource: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>
  /**
   * Ends normally when the server closes the stream; throws StatusError (410 Expired: list again)
   * or TransportError.
   */
  watch<T extends KubeObject>(resource: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>
  /**
   * With `subresource`, posts to `<object>/<subresource>`; the object's own name and namespace
   * address it.
   */
  create<T extends KubeObject, R = T>(resource: ResourceType<T>, object: T | KubeObject, options?: WriteOptions): Promise<R>
  update<T extends KubeObject>(resource: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>
  delete<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>
}

/** The server could not be reached, or the connection broke. Always worth a retry. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /**
   * True when the server certainly did not act on the request; otherwise a write may or may not
   * have happened.
   */
  readonly unsent: boolean
  constructor(message: string, options: ErrorOptions & { unsent?: boolean } = {}) {
    super(message, options)
    this.unsent = options.unsent ?? false
  }
}
