import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { GroupVersionKind } from '#api/meta/v1/group-version-kind.ts'
import { badRequest, pathNotFound, StatusError, unsupportedMediaType } from '#apimachinery/errors.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { UpgradeServer } from '../aggregated/streams.ts'
import type { Logger } from '../process/log.ts'
import { tracing } from '../tracing/tracing.ts'
import type { AdmissionAnswer, AdmissionHandler } from './admission-answer.ts'
import { answerConversion, type ConversionHandler } from './conversion.ts'
import { readBody } from './request-body.ts'
import { decodeReview, encodeReview, malformedObject } from './review.ts'
import type { TlsLimits } from './tls-limits.ts'

/** PEM texts that a server proves its name with. */
export interface ServerCertificate {
  readonly certificate: string
  readonly key: string
  /** PEM of a CA. Given, only clients with a certificate of this CA may connect. */
  readonly clientCertificateAuthority?: string
  /**
   * PEM of a CA. Set, clients may present a certificate of this CA; {@link
   * AdmissionServerOptions.otherwise} decides about their rights. Empty: no CA is accepted.
   */
  readonly proxyAuthority?: string
  /** Protocol versions and ciphers. Default: Node's. */
  readonly limits?: TlsLimits
}

/** Answers one request. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Dependencies and options of an admission server. */
export interface AdmissionServerOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly tls: ServerCertificate
  /** By path: `/virtualmachines-mutate`. */
  readonly handlers: Readonly<Record<string, AdmissionHandler>>
  /** The same for conversions. */
  readonly converters?: Readonly<Record<string, ConversionHandler>>
  /**
   * Schemas of the reviewed kinds. Read only after a handler has failed, to distinguish a malformed
   * object (400) from a bug (500). Default: every failure is a bug.
   */
  readonly schemaOf?: (kind: GroupVersionKind) => Promise<StructuralSchema | undefined>
  readonly log: Logger
  /**
   * Bytes of an admission review. Default 8 MiB: an old and a new object of 3 MiB each fit. Of
   * conversions eight times as many: a list is one review.
   */
  readonly bodyLimitBytes?: number
  /** Serves requests below `/apis`, such as an aggregated API; never rejects. Default: 404. */
  readonly otherwise?: RequestHandler
  /** Serves connections that are upgraded. Default: no request upgrades its connection. */
  readonly upgrades?: UpgradeServer
  /**
   * Serves requests with bodies of any size, which take any time. Default: each request must arrive
   * in half a minute.
   */
  readonly transfers?: { handles(request: IncomingMessage): boolean; readonly serve: RequestHandler }
  /** Serves `GET` requests of other paths, such as `/healthz`; never rejects. Default: 404. */
  readonly endpoints?: RequestHandler
  /** Called once per review, for metrics. */
  readonly observe?: (review: { readonly path: string; readonly code: number; readonly ms: number }) => void
}

/** A server of admission webhooks. Disposing of it lets running reviews finish. */
export interface AdmissionServer extends AsyncDisposable {
  readonly port: number
  /** Uses another certificate for new connections, without a gap. */
  reloadTls(tls: ServerCertificate): void
}

/**
 * Starts to answer AdmissionReviews over HTTPS. Rejects when the address is not free or the
 * certificate is wrong.
 */
export async function startAdmissionServer(options: AdmissionServerOptions): Promise<AdmissionServer> {
  const { createServer } = await import('node:https')
  const { upgrades } = options
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => upgrades?.handles(request) === true
  const tlsSettings = {
    ...tlsOptions(options.tls),
    keepAliveTimeout: 90_000,
    requestTimeout: 0,
    headersTimeout: 30_000,
    shouldUpgradeCallback,
  }
  // A client certificate is verified at connection time, when the protocol is chosen, too: a
  // connection from before a change ends with its next answer.
  let current = new WeakSet<object>()
  // A handshake that began before a change ends by the settings of then.
  const handshakes = new Map<string, WeakSet<object>>()
  let authorities = authoritiesOf(options.tls)
  let limits = JSON.stringify(options.tls.limits)
  const server = createServer(tlsSettings, (request, response) => {
    if (!current.has(request.socket)) response.setHeader('connection', 'close')
    if (options.transfers?.handles(request) === true) return void options.transfers.serve(request, response)
    endIfSlow(request)
    void (handlerOf(options, request) ?? answer.bind(undefined, options))(request, response)
  })
  const upgraded = new Set<Duplex>()
  if (upgrades !== undefined)
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      void upgrades.upgrade(request, socket, head)
    })
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    handshakes.set(peer, current)
    socket.once('close', () => handshakes.delete(peer))
  })
  server.on('secureConnection', (socket: Socket) => handshakes.get(peerOf(socket))?.add(socket))
  await listen(server, options)
  return {
    port: (server.address() as AddressInfo).port,
    reloadTls: (tls) => {
      server.setSecureContext(tlsOptions(tls))
      const before = authorities
      authorities = authoritiesOf(tls)
      const limitsBefore = limits
      limits = JSON.stringify(tls.limits)
      if (authorities === before && limits === limitsBefore) return
      current = new WeakSet()
      // The old authorities are still trusted: no connection with a running request is closed.
      if (limits !== limitsBefore || before === '' || !authorities.includes(before)) server.closeIdleConnections()
    },
    [Symbol.asyncDispose]: () => {
      // A stream may last for days.
      for (const socket of upgraded) socket.destroy()
      return close(server)
    },
  }
}

/** Milliseconds in which a request must have arrived. */
const requestMs = 30_000

/** A client that sends a byte at a time would keep its request forever. */
function endIfSlow(request: IncomingMessage): void {
  if (request.complete) return
  const timer = setTimeout(() => request.destroy(), requestMs).unref()
  const clear = (): void => clearTimeout(timer)
  request.once('end', clear)
  request.once('close', clear)
}

/** Returns the handler of a request that is no review. */
function handlerOf({ otherwise, endpoints }: AdmissionServerOptions, { url, method }: IncomingMessage): RequestHandler | undefined {
  if (isBelowApis(url) && otherwise !== undefined) return otherwise
  return method === 'GET' ? endpoints : undefined
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function authoritiesOf({ clientCertificateAuthority = '', proxyAuthority = '' }: ServerCertificate): string {
  return clientCertificateAuthority + proxyAuthority
}

function isBelowApis(url = ''): boolean {
  return /^\/apis([/?]|$)/.test(url)
}

interface TlsOptions extends TlsLimits {
  cert: string
  key: string
  ca?: string | string[]
  requestCert?: boolean
  rejectUnauthorized?: boolean
}

function tlsOptions(tls: ServerCertificate): TlsOptions {
  const { certificate: cert, key, clientCertificateAuthority, proxyAuthority, limits } = tls
  const server = { cert, key, ...limits }
  if (clientCertificateAuthority !== undefined)
    return { ...server, ca: clientCertificateAuthority, requestCert: true, rejectUnauthorized: true }
  if (proxyAuthority === undefined) return server
  // An empty list and not undefined, for which Node would trust all public authorities.
  return { ...server, ca: proxyAuthority === '' ? [] : proxyAuthority, requestCert: true, rejectUnauthorized: false }
}

function listen(server: Server, options: AdmissionServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject)
      server.on('error', (error) => options.log.error({ error }, 'The webhook server failed'))
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

async function answer(options: AdmissionServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const start = performance.now()
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const work = (): Promise<object> => review(options, path, request)
  // The span of a known path: clients choose paths freely.
  const traced = (): Promise<object> => (answererAt(options, path) === undefined ? work() : tracing().span(`admission ${path}`, {}, work))
  const { code, body } = await tracing()
    .within(request.headers['traceparent'], traced)
    .then(
      (done): { code: number; body: object } => ({ code: 200, body: done }),
      (error: unknown) => failure(options, path, error),
    )
  // Known names only: each name creates time series, and clients choose paths freely.
  options.observe?.({ path: answererAt(options, path) === undefined ? '' : path, code, ms: performance.now() - start })
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Handler of a path. */
interface Answerer {
  /** Most bytes of a question. */
  readonly limitBytes: number
  answer(body: string): Promise<object>
}

function answererAt(
  { handlers, converters = {}, bodyLimitBytes = 8 << 20, schemaOf }: AdmissionServerOptions,
  path: string,
): Answerer | undefined {
  const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
  if (handler !== undefined) return { limitBytes: bodyLimitBytes, answer: (body) => admit(handler, body, schemaOf) }
  const converter = Object.hasOwn(converters, path) ? converters[path] : undefined
  return converter === undefined ? undefined : { limitBytes: 8 * bodyLimitBytes, answer: async (body) => answerConversion(converter, body) }
}

async function review(options: AdmissionServerOptions, path: string, request: IncomingMessage): Promise<object> {
  const answerer = answererAt(options, path)
  if (answerer === undefined) throw pathNotFound()
  if (request.method !== 'POST') throw badRequest(`reviews must be posted: the method is "${request.method}"`)
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) throw unsupportedMediaType(['application/json'])
  return answerer.answer(await readBody(request, answerer.limitBytes))
}

async function admit(handler: AdmissionHandler, body: string, schemaOf: AdmissionServerOptions['schemaOf']): Promise<object> {
  const question = decodeReview(body)
  return encodeReview(question.uid, await decide(handler, question, schemaOf))
}

async function decide(
  handler: AdmissionHandler,
  question: AdmissionRequest,
  schemaOf: AdmissionServerOptions['schemaOf'],
): Promise<AdmissionAnswer> {
  try {
    return await handler(question)
  } catch (error) {
    if (error instanceof StatusError && error.code < 500) return { allowed: false, error }
    const schema = error instanceof StatusError ? undefined : await schemaOf?.(question.kind)
    throw (schema === undefined ? undefined : malformedObject(question, schema)) ?? error
  }
}

function failure(options: AdmissionServerOptions, path: string, error: unknown): { code: number; body: object } {
  if (error instanceof StatusError) return { code: error.code, body: error.status }
  options.log.error({ error, path }, 'An admission handler failed')
  return {
    code: 500,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'The handler failed', code: 500 },
  }
}
