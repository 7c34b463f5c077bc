import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Patch } from '#client/client.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Change, Entry } from '#apiserver/storage/object-store.ts'

/** An authenticated user. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Context of a verb. */
export interface RequestContext {
  readonly user: UserInfo
  /** Adds a `Warning:` header for the client. */
  warn(text: string): void
  /** Adds an annotation to the audit record, where there is one. */
  annotate?(key: string, value: string): void
  readonly signal: AbortSignal
  /** Field manager. */
  readonly fieldManager: string
}

/** Addresses an object or collection. */
export interface Target {
  readonly definition: ResourceDefinition
  /** Empty for cluster-scoped resources; undefined for all namespaces. */
  readonly namespace: string | undefined
  readonly name: string
  /** Empty, or `status`, `scale`, `binding` … */
  readonly subresource: string
}

/** Options common to create, update and patch. */
export interface MutationOptions {
  readonly dryRun: boolean
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
}

/** A decoded body. `duplicates` are the paths of duplicate keys, for strict decoding. */
export interface DecodedBody {
  readonly object: KubeObject
  readonly duplicates: readonly string[]
  /** True if the object is known to contain no null, which skips a search. Default false. */
  readonly hasNoNulls?: boolean
}

/** Parsed selectors of a list or watch. */
export interface Selectors {
  readonly matches: (object: KubeObject) => boolean
  readonly everything: boolean
}

/** Result of a list, sorted by namespace and name. */
export interface ListResult {
  readonly entries: readonly Entry[]
  readonly revision: number
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** An event of a watch, after selectors. */
export type WatchOutput =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry; readonly change?: Change }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }

/** Result of a delete: gone, or kept by finalizers or a grace period. */
export type DeleteResult = { readonly kind: 'deleted'; readonly entry: Entry } | { readonly kind: 'pending'; readonly entry: Entry }

/** Options of a get. */
export interface GetQuery {
  /** Oldest acceptable version; empty: any. */
  readonly resourceVersion: string
}

/** Options of a list. */
export interface ListQuery {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly limit: number
  readonly continue: string
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
}

/** Options of a watch. */
export interface WatchQuery extends ListQuery {
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  /**
   * Seconds after which the watch ends, after a last bookmark. Default: only the signal ends it.
   */
  readonly timeoutSeconds?: number | undefined
}

/** Options of a delete, from body and query. */
export interface DeleteQuery {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun: boolean
}

/**
 * The API's verbs, called by the HTTP front and the in-process client. They include admission, and
 * neither authentication nor authorization. All reject with StatusError.
 */
export interface Verbs {
  get(target: Target, context: RequestContext, query?: GetQuery): Promise<Entry>
  list(target: Target, query: ListQuery, context: RequestContext): Promise<ListResult>
  /**
   * Returns the object of a connection after admission. `options` are of the subresource's kind.
   */
  connect(target: Target, options: KubeObject, context: RequestContext): Promise<Entry>
  /**
   * Calls `emit` synchronously and in order. Settles when the watch ends: by the signal, or by
   * rejecting (410 …).
   */
  watch(target: Target, query: WatchQuery, emit: (output: WatchOutput) => void, context: RequestContext): Promise<void>
  create(target: Target, body: DecodedBody, options: MutationOptions, context: RequestContext): Promise<Entry>
  update(target: Target, body: DecodedBody, options: MutationOptions, context: RequestContext): Promise<Entry>
  patch(target: Target, patch: Patch, options: MutationOptions, context: RequestContext): Promise<{ entry: Entry; created: boolean }>
  delete(target: Target, query: DeleteQuery, context: RequestContext): Promise<DeleteResult>
  deleteCollection(target: Target, list: ListQuery, query: DeleteQuery, context: RequestContext): Promise<ListResult>
}
