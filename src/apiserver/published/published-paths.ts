import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { headerList } from '../aggregation/backend/backend.ts'
import { forwardedAnswer, forwardedRequest } from '../aggregation/backend/forwarded-headers.ts'
import { auditIdOf } from '../front/audit-id.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import type { EndpointFinder, HostPort } from '../services/endpoint-finder.ts'

/**
 * A server that this one publishes at its own address, as an Ingress does on a cluster. It
 * authenticates clients itself: they need no account of the API server.
 */
export interface PublishedServer {
  /** Tests a path without its query. */
  readonly path: RegExp
  /** Others are answered with 405. */
  readonly methods: readonly string[]
  /**
   * Most requests at the same time: each has a connection to the server, and no client is
   * authenticated here. One published server does not count against another.
   */
  readonly limit: number
  /** True if its clients prove themselves by `Authorization`, which is removed otherwise. */
  readonly takesAuthorization: boolean
  /** Finds what answers a path with its query. */
  find(url: string): Promise<PublishedTarget | PublishedRefusal>
}

/** A port of a Service that serves HTTPS. */
export interface PublishedTarget {
  readonly namespace: string
  readonly service: string
  readonly port: number
  /** Path and query for it. */
  readonly url: string
  /** Authorities of its certificate, in PEM. */
  readonly authorities: string
}

/** The answer to a path that leads nowhere. */
export interface PublishedRefusal {
  readonly code: number
  readonly text: string
}

/** Options of {@link createPublishedPaths}. */
export interface PublishedPathsOptions {
  readonly servers: readonly PublishedServer[]
  readonly find: EndpointFinder
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  readonly onError: (error: unknown, path: string) => void
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal
}

/** Answers a request for a published path. Undefined for other requests. Never rejects. */
export type PublishedPaths = (exchange: Exchange) => Promise<void> | undefined

/**
 * Serves published paths. Requests take any time, and bytes go on as fast as the other side takes
 * them. Not in the audit log: no object of the API server is read or written.
 */
export function createPublishedPaths({ servers, find, random, onError, stopping }: PublishedPathsOptions): PublishedPaths {
  const running = new Map<PublishedServer, number>()

  const answer = async (exchange: Exchange, server: PublishedServer): Promise<PublishedRefusal | undefined> => {
    if (!server.methods.includes(exchange.method))
      return { code: 405, text: `the method must be one of ${server.methods.join(', ')} at this path` }
    const before = running.get(server) ?? 0
    if (before >= server.limit) return unavailable('too many requests of this path are running: try again')
    running.set(server, before + 1)
    try {
      const target = await server.find(exchange.url)
      if ('code' in target) return target
      const endpoints = find(target.namespace, target.service, target.port)
      if (endpoints.kind !== 'ready') return unavailable('the server of this path does not run: try again')
      const { addresses } = endpoints
      return await relay(exchange, server, target, addresses[Math.floor(random() * addresses.length)] ?? addresses[0])
    } finally {
      running.set(server, (running.get(server) ?? 1) - 1)
    }
  }

  const relay = async (
    exchange: Exchange,
    server: PublishedServer,
    target: PublishedTarget,
    address: HostPort,
  ): Promise<PublishedRefusal | undefined> => {
    const gone = new AbortController()
    exchange.onGone(() => gone.abort())
    const signal = AbortSignal.any([gone.signal, stopping])
    const found = await ask(exchange, server, target, address, signal).catch((error: unknown) => {
      if (!signal.aborted) onError(error, target.service)
    })
    if (found === undefined) return unavailable('the server of this path could not be reached: try again')
    const body = exchange.relay(found.statusCode ?? 502, forwardedAnswer(headerList(found.headers)))
    if (body === undefined) return void found.destroy()
    // After the head is sent, a failure can only be signalled by breaking the answer off.
    await pipeline(found, body).catch(() => {})
    return undefined
  }

  return (exchange) => {
    const path = exchange.url.split('?', 1)[0] ?? ''
    const server = servers.find((one) => one.path.test(path))
    if (server === undefined) return undefined
    return answer(exchange, server)
      .catch((error: unknown) => {
        onError(error, path)
        return { code: 500, text: 'the server of this path could not be found' }
      })
      .then((refusal) => {
        if (refusal !== undefined) refuse(exchange, refusal)
      })
  }
}

function unavailable(text: string): PublishedRefusal {
  return { code: 503, text }
}

function refuse(exchange: Exchange, { code, text }: PublishedRefusal): void {
  exchange.send(
    code,
    { 'content-type': 'text/plain; charset=utf-8', ...(code === 503 ? { 'retry-after': '1' } : {}) },
    Buffer.from(`${text}\n`),
  )
}

function ask(
  exchange: Exchange,
  { takesAuthorization }: PublishedServer,
  { namespace, service, url, authorities }: PublishedTarget,
  { host, port }: HostPort,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { method, headers, peer } = exchange
  const name = `${service}.${namespace}.svc`
  const authorization = takesAuthorization ? headerOf(headers, 'authorization') : undefined
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({ host, port, method, path: url, signal, agent: false, setHost: false, servername: name, ca: authorities })
    sent.setHeader('host', name)
    for (const [field, value] of forwardedRequest(headers, undefined, auditIdOf(headers), peer.address)) sent.appendHeader(field, value)
    if (authorization !== undefined) sent.setHeader('authorization', authorization)
    const body = exchange.body()
    // Node does not frame the body of every method, and the server would take it for a request.
    if (body !== undefined && !sent.hasHeader('content-length')) sent.setHeader('transfer-encoding', 'chunked')
    sent.on('error', reject)
    sent.once('response', resolve)
    if (body === undefined) sent.end()
    // Not `pipeline`, which would end the client's side when the server answers early.
    else body.pipe(sent)
  })
}
