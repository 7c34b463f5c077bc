import type { Caller } from './front-proxy.ts'

/** Request to a handler. */
export interface AggregatedRequest {
  readonly caller: Caller
  /** Empty for a resource of the whole cluster. */
  readonly namespace: string
  /** Of the object; empty for a resource without objects. */
  readonly name: string
  /** Raw body; empty for none. */
  readonly body: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** Answer of a handler. Failures are thrown as StatusErrors. */
export interface AggregatedAnswer {
  readonly code: number
  readonly body?: object
  /** Messages for the client, beside the body. */
  readonly warnings?: readonly string[]
}

/** Answers requests for one resource by one method. */
export type AggregatedHandler = (request: AggregatedRequest) => Promise<AggregatedAnswer>

/** Methods that are served, and the verbs by which access to them is granted. */
export const verbs = { GET: 'get', PUT: 'update' } as const

/** A method that is served. */
export type Method = keyof typeof verbs

/** A resource of an aggregated API. */
export interface AggregatedResource {
  readonly resource: string
  /** Default true. */
  readonly namespaced?: boolean
  /**
   * Last segments of the path. Given, requests name an object: `…/<resource>/<name>/<subresource>`;
   * otherwise they end with the resource.
   */
  readonly subresource?: string
  /** True if segments may follow the subresource: `…/portforward/22/tcp`. */
  readonly hasTail?: true
  /** Kind of request and answer. */
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly handlers: Partial<Record<Method, AggregatedHandler>>
}

/** An API group that is served behind an APIService. All versions have the same resources. */
export interface AggregatedGroup {
  readonly group: string
  /** The preferred one first. */
  readonly versions: readonly string[]
  readonly resources: readonly AggregatedResource[]
}
