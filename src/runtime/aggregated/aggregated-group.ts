import type { Duplex } from 'node:stream'
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
  readonly query: URLSearchParams
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** Answer of a handler. Failures are thrown as StatusErrors. */
export interface AggregatedAnswer {
  readonly code: number
  readonly body?: object
  /** Content in place of an object. */
  readonly content?: { readonly type: string; readonly bytes: Uint8Array }
  /** Messages for the client, beside the body. */
  readonly warnings?: readonly string[]
}

/** Answers requests for one resource by one method. */
export type AggregatedHandler = (request: AggregatedRequest) => Promise<AggregatedAnswer>

/** Request to a stream, before its connection is upgraded. */
export interface StreamRequest extends Omit<AggregatedRequest, 'body'> {
  /** Segments of the path after the subresource: `22/tcp`. */
  readonly tail: string
  /** Header fields of the upgrade, which the backend needs to answer it: `sec-websocket-key`. */
  readonly upgradeHeaders: Readonly<Record<string, string>>
}

/** A connection whose server has accepted the upgrade. */
export interface UpgradedStream {
  /** Header fields of the answer: `sec-websocket-accept`. */
  readonly headers: Readonly<Record<string, string>>
  readonly socket: Duplex
  /** Bytes that were received after the answer. */
  readonly head: Buffer
}

/**
 * Connects a stream; its bytes are passed on as they are. Failures are thrown as StatusErrors,
 * which the client gets in place of the upgrade.
 */
export type StreamHandler = (request: StreamRequest) => Promise<UpgradedStream>

/** Methods that are served, and the verbs by which access to them is granted. */
export const verbs = { GET: 'get', PUT: 'update', POST: 'create' } as const

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
  /** Serves upgrades by GET. A request without an upgrade goes to `handlers`, or is refused. */
  readonly stream?: StreamHandler
}

/** An API group that is served behind an APIService. All versions have the same resources. */
export interface AggregatedGroup {
  readonly group: string
  /** The preferred one first. */
  readonly versions: readonly string[]
  readonly resources: readonly AggregatedResource[]
}
