import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Patch } from '#client/client.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Change, Entry } from '#apiserver/storage/object-store.ts'

/** Who asks, as authentication found. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Context that every verb gets. */
export interface RequestContext {
  readonly user: UserInfo
  /** Adds a `Warning:` header for the client. */
  warn(text: string): void
  /** Notes something in the audit log, where there is one. */
  annotate?(key: string, value: string): void
  readonly signal: AbortSignal
  /** Manager name for field ownership. */
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

/** A body as it was sent: `duplicates` are the paths of repeated keys, for strict decoding. */
export interface DecodedBody {
  readonly object: KubeObject
  readonly duplicates: readonly string[]
  /**
   * Known to have no null in it, so that nobody need walk through it to look for some. Default: not
   * known.
   */
  readonly hasNoNulls?: boolean
}

/** Narrowing of a list or watch, already parsed and checked. */
export interface Selectors {
  readonly matches: (object: KubeObject) => boolean
  readonly everything: boolean
}

/** A list answer. `entries` are sorted by namespace and name. */
export interface ListResult {
  readonly entries: readonly Entry[]
  readonly revision: number
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** One event for a watcher, with selector transitions applied. */
export type WatchOutput =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry; readonly change?: Change }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }

/** Result of a delete: gone, or still there because somebody holds it. */
export type DeleteResult = { readonly kind: 'deleted'; readonly entry: Entry } | { readonly kind: 'pending'; readonly entry: Entry }

/** Options of a get, as the query gave them. */
export interface GetQuery {
  /** The answer must not be older than this; empty: there is no such wish. */
  readonly resourceVersion: string
}

/** Options of a list, as the query gave them. */
export interface ListQuery {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly limit: number
  readonly continue: string
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
}

/** Options of a watch, as the query gave them. */
export interface WatchQuery extends ListQuery {
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  /**
   * Seconds after which the watch ends normally, after a last bookmark. Default: only the signal
   * ends it.
   */
  readonly timeoutSeconds?: number | undefined
}

/** Options of a delete, body and query merged. */
export interface DeleteQuery {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun: boolean
}

/**
 * The verbs, whatever transport they come through: the HTTP front and the in-process client call
 * exactly these. Authentication and authorization are done; admission is not. All reject with
 * StatusError.
 */
export interface Verbs {
  get(target: Target, context: RequestContext, query?: GetQuery): Promise<Entry>
  list(target: Target, query: ListQuery, context: RequestContext): Promise<ListResult>
  /**
   * The object that somebody wants to talk to by a subresource, after admission. `options` is of
   * the subresource's kind.
   */
  connect(target: Target, options: KubeObject, context: RequestContext): Promise<Entry>
  /**
   * `emit` is called synchronously in order; the promise settles when the watch ends: by the signal, or by rejecting (410 …).
   */
  watch(target: Target, query: WatchQuery, emit: (output: WatchOutput) => void, context: RequestContext): Promise<void>
  create(target: Target, body: DecodedBody, options: MutationOptions, context: RequestContext): Promise<Entry>
  update(target: Target, body: DecodedBody, options: MutationOptions, context: RequestContext): Promise<Entry>
  patch(target: Target, patch: Patch, options: MutationOptions, context: RequestContext): Promise<{ entry: Entry; created: boolean }>
  delete(target: Target, query: DeleteQuery, context: RequestContext): Promise<DeleteResult>
  deleteCollection(target: Target, list: ListQuery, query: DeleteQuery, context: RequestContext): Promise<ListResult>
}
