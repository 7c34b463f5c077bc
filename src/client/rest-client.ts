import type { KubeList, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { withType } from '#apimachinery/meta/resource-type.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError } from './client.ts'
import type { Client, GetOptions, DeleteOptions, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from './client.ts'
import { failureOf } from './failure.ts'
import { collectionPath, creationPath, objectPath, queryString } from './resource-path.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'
import { decodeLines, decodeWatchEvent } from './watch-stream.ts'

/** A request that was answered, or failed. */
export interface Exchange {
  readonly method: string
  /** Path with query. */
  readonly path: string
  /** Undefined without a response. */
  readonly code: number | undefined
  /** Milliseconds until the status was known. */
  readonly ms: number
}

/** Options of a REST client besides its transport. */
export interface RestClientOptions {
  /**
   * Waits; needed to honour `Retry-After` of a busy server. Without it, 429 is reported at once.
   */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Called with each text of a `Warning` header. */
  readonly onWarning?: (text: string) => void
  /** Called once per HTTP exchange. For metrics. */
  readonly observe?: (exchange: Exchange) => void
  /** Milliseconds, to measure exchanges by. Default: they take no time. */
  readonly now?: () => number
  /**
   * Begins to observe an HTTP exchange: headers to add, and what is called at its end. For traces.
   */
  readonly trace?: (method: string, path: string) => TracedExchange | undefined
  /** Default `steadyvm`. */
  readonly userAgent?: string
}

/** An HTTP exchange that is traced: the headers that carry its span, and what ends it. */
export interface TracedExchange {
  readonly headers: Readonly<Record<string, string>>
  /** `code`: undefined without an answer. */
  end(code: number | undefined): void
}

/**
 * Number of retries, and the longest Retry-After that is honoured. Beyond either, 429 is returned
 * to the caller.
 */
const maxThrottledTries = 4
const maxThrottleMs = 10_000

/**
 * Creates a client over HTTP. It handles URLs, media types and errors; the transport handles
 * connections and credentials.
 */
export function createRestClient(transport: Transport, options: RestClientOptions = {}): Client {
  return new RestClient(transport, options)
}

class RestClient implements Client {
  readonly #transport: Transport
  readonly #options: RestClientOptions

  constructor(transport: Transport, options: RestClientOptions) {
    this.#transport = transport
    this.#options = options
  }

  get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options: GetOptions = {}): Promise<T> {
    return this.#json('GET', () => objectPath(resource, key, options.subresource), undefined, options.signal)
  }

  async list<T extends KubeObject>(resource: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const { namespace, signal, ...query } = options
    const list = await this.#json<KubeList<T>>('GET', () => collectionPath(resource, namespace) + queryString(query), undefined, signal)
    // Kubernetes omits apiVersion and kind from the items of lists of built-in kinds.
    return { ...list, items: list.items.map((item) => withType(resource, item)) }
  }

  async *watch<T extends KubeObject>(resource: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { namespace, signal, ...query } = options
    const path = collectionPath(resource, namespace) + queryString({ watch: true, ...query })
    try {
      const response = await this.#send({ method: 'GET', path, headers: this.#headers(), streaming: true, signal })
      if (response.status !== 200) throw failureOf(response.status, await response.text())
      for await (const line of decodeLines(response.body)) yield decodeWatchEvent<T>(line)
    } catch (error) {
      // The caller has ended the watch: no error.
      if (!signal.aborted) throw error
    }
  }

  create<T extends KubeObject, R = T>(resource: ResourceType<T>, object: T | KubeObject, options: WriteOptions = {}): Promise<R> {
    const namespace = object.metadata?.namespace
    const path = (): string =>
      options.subresource === undefined
        ? creationPath(resource, namespace)
        : objectPath(
            resource,
            { ...(namespace === undefined ? {} : { namespace }), name: object.metadata?.name ?? '' },
            options.subresource,
          )
    // The body of a subresource has a type of its own. Custom resources need theirs.
    const body = options.subresource === undefined ? withType<KubeObject>(resource, object) : object
    return this.#json('POST', () => path() + writeQuery(options), jsonBody(body), options.signal)
  }

  update<T extends KubeObject>(resource: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#json(
      'PUT',
      () => objectPath(resource, keyOf(object), options.subresource) + writeQuery(options),
      jsonBody(options.subresource === undefined || options.subresource === 'status' ? withType(resource, object) : object),
      options.signal,
    )
  }

  patch<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, patch: Patch, options: WriteOptions = {}): Promise<T> {
    const query = patch.type === 'apply' ? { fieldManager: patch.fieldManager, force: patch.force } : {}
    const path = (): string => objectPath(resource, key, options.subresource) + writeQuery(options, query)
    return this.#json('PATCH', path, patchBody(patch), options.signal)
  }

  async delete<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { signal, dryRun, ...rest } = options
    const body = jsonBody({ kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(dryRun === true ? { dryRun: ['All'] } : {}) })
    await this.#json('DELETE', () => objectPath(resource, key), body, signal)
  }

  async #json<R>(
    method: TransportRequest['method'],
    path: () => string,
    body: Body | undefined,
    signal: AbortSignal | undefined,
  ): Promise<R> {
    const headers = { ...this.#headers(), ...(body === undefined ? {} : { 'content-type': body.type }) }
    const response = await this.#send({
      method,
      path: path(),
      headers,
      ...(body === undefined ? {} : { body: body.text }),
      streaming: false,
      signal,
    })
    const text = await response.text()
    if (response.status < 200 || response.status > 299) throw failureOf(response.status, text)
    // KubeVirt's start, stop, restart and migrate are accepted without an answer.
    return response.status === 202 && text === '' ? ({} as R) : parseAnswer(text)
  }

  /**
   * Sends, and waits for the Retry-After of a busy server: 429 means that nothing was done, so that
   * any method can be repeated.
   */
  async #send(request: TransportRequest): Promise<TransportResponse> {
    for (let tries = 0; ; tries++) {
      const response = await this.#exchange(request)
      const wait = this.#throttleMs(response, tries)
      if (wait === undefined || this.#options.sleep === undefined) return response
      await response.text()
      await this.#options.sleep(wait, request.signal)
    }
  }

  #throttleMs(response: TransportResponse, tries: number): number | undefined {
    const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
    if (response.status !== 429 || !(seconds >= 0) || tries >= maxThrottledTries || seconds * 1000 > maxThrottleMs) return undefined
    return Math.max(seconds * 1000, 50)
  }

  async #exchange(request: TransportRequest): Promise<TransportResponse> {
    const { observe, now = () => 0 } = this.#options
    const startMs = now()
    let code: number | undefined
    const traced = this.#options.trace?.(request.method, request.path.split('?', 1)[0] ?? '')
    try {
      const sent = traced === undefined ? request : { ...request, headers: { ...request.headers, ...traced.headers } }
      const response = await this.#transport.request(sent)
      code = response.status
      if (this.#options.onWarning !== undefined) parseWarnings(response.headers['warning']).forEach(this.#options.onWarning)
      return response
    } finally {
      observe?.({ method: request.method, path: request.path, code, ms: now() - startMs })
      traced?.end(code)
    }
  }

  #headers(): Record<string, string> {
    return { accept: 'application/json', 'user-agent': this.#options.userAgent ?? 'steadyvm' }
  }
}

interface Body {
  readonly type: string
  readonly text: string
}

function jsonBody(value: object): Body {
  return { type: 'application/json', text: JSON.stringify(value) }
}

function patchBody(patch: Patch): Body {
  switch (patch.type) {
    case 'json':
      return { type: 'application/json-patch+json', text: JSON.stringify(patch.operations) }
    case 'merge':
      return { type: 'application/merge-patch+json', text: JSON.stringify(patch.body) }
    case 'strategic':
      return { type: 'application/strategic-merge-patch+json', text: JSON.stringify(patch.body) }
    case 'apply':
      // JSON is valid YAML: the media type of server-side apply accepts both.
      return { type: 'application/apply-patch+yaml', text: JSON.stringify(patch.body) }
  }
}

function writeQuery(options: WriteOptions, more: Readonly<Record<string, string | boolean | undefined>> = {}): string {
  return queryString({
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    ...more,
  })
}

function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata ?? {}
  return { ...(namespace === undefined ? {} : { namespace }), name: name ?? '' }
}

function parseAnswer<R>(text: string): R {
  try {
    return JSON.parse(text) as R
  } catch (cause) {
    throw new TransportError('The server answered with something that is not JSON', { cause })
  }
}

/** Texts of `Warning: 299 - "text"` headers, several of which may be joined by commas. */
export function parseWarnings(header: string | undefined): string[] {
  if (header === undefined) return []
  return [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1'))
}
