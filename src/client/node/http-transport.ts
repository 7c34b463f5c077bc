import { TransportError } from '../client.ts'
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts'
import { fixedCredentials } from './credentials.ts'
import { DeadlineExceeded } from './exchange.ts'
import type { Credentials, CredentialSource } from './credentials.ts'
import { completeHttpConfig } from './http-config.ts'
import type { CompleteHttpConfig, HttpTransportConfig } from './http-config.ts'
import type { Connection } from './http2-connection.ts'

/** A transport that holds connections; dispose of it to close them. */
export interface HttpTransport extends Transport, Disposable {}

/**
 * Connects to an API server over HTTPS: HTTP/2 when the server supports it, else HTTP/1.1. Connects
 * at the first request, reconnects when the connection is lost, and repeats a request only when the
 * server cannot have acted on it.
 */
export function createHttpTransport(config: HttpTransportConfig): HttpTransport {
  return new NodeHttpTransport(completeHttpConfig(config))
}

/**
 * A connection with the certificate it was opened with: another certificate needs another
 * connection.
 */
interface Opened {
  readonly connection: Promise<Connection>
  readonly certificate: string | undefined
  settled: Connection | undefined
}

class NodeHttpTransport implements HttpTransport {
  readonly #config: CompleteHttpConfig
  readonly #credentials: CredentialSource
  readonly #prefix: string
  #current: Opened | undefined
  #disposed = false
  readonly #all = new Set<Connection>()

  constructor(config: CompleteHttpConfig) {
    this.#config = config
    this.#credentials = config.credentials ?? fixedCredentials({})
    this.#prefix = new URL(config.server).pathname.replace(/\/$/, '')
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const credentials = await this.#credentials({ refresh: false })
    const response = await this.#attempt(request, credentials)
    if (response.status !== 401) return response
    const fresh = await this.#credentials({ refresh: true })
    if (sameCredentials(fresh, credentials)) return response
    await response.text()
    return this.#attempt(request, fresh)
  }

  async #attempt(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const first = await withSignal(this.#connect(credentials), request.signal)
    try {
      return await this.#once(first, request, credentials)
    } catch (error) {
      if (!worthAnotherTry(error, request) || this.#disposed) throw error
      return await this.#once(await withSignal(this.#connect(credentials), request.signal), request, credentials)
    }
  }

  #once(connection: Connection, request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const authorization = credentials.bearerToken === undefined ? {} : { authorization: `Bearer ${credentials.bearerToken}` }
    return connection.request(request, this.#prefix + request.path, { ...request.headers, ...authorization })
  }

  #connect(credentials: Credentials): Promise<Connection> {
    if (this.#disposed) return Promise.reject(new TransportError('The transport is closed', { unsent: true }))
    const current = this.#current
    const reusable = current !== undefined && current.certificate === credentials.certificate && (current.settled?.usable ?? true)
    if (reusable) return current.connection
    const opened: Opened = { connection: this.#open(credentials), certificate: credentials.certificate, settled: undefined }
    this.#current = opened
    opened.connection.then(
      (connection) => (opened.settled = connection),
      () => {
        if (this.#current === opened) this.#current = undefined
      },
    )
    return opened.connection
  }

  async #open(credentials: Credentials): Promise<Connection> {
    const connection = await openConnection(this.#config, credentials)
    if (this.#disposed) {
      connection[Symbol.dispose]()
      throw new TransportError('The transport is closed', { unsent: true })
    }
    this.#all.add(connection)
    for (const other of this.#all) if (other.ended) this.#all.delete(other)
    return connection
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    for (const connection of this.#all) connection[Symbol.dispose]()
    this.#all.clear()
  }
}

async function openConnection(config: CompleteHttpConfig, credentials: Credentials): Promise<Connection> {
  const { createHttp1Connection } = await import('./http1-connection.ts')
  if (config.server.startsWith('http:')) return createHttp1Connection(config, credentials)
  const { connectTls } = await import('./tls-connect.ts')
  const socket = await connectTls(config, credentials)
  if (socket.alpnProtocol === 'h2') {
    const { createHttp2Connection } = await import('./http2-connection.ts')
    return createHttp2Connection(config, socket)
  }
  socket.destroy()
  return createHttp1Connection(config, credentials)
}

/**
 * A kept-alive connection may have died unnoticed: then one retry on a new one is safe for reads,
 * and for writes that were never sent. After a deadline there is no retry.
 */
function worthAnotherTry(error: unknown, request: TransportRequest): boolean {
  if (!(error instanceof TransportError) || error instanceof DeadlineExceeded || request.signal?.aborted === true) return false
  return error.unsent || request.method === 'GET'
}

function sameCredentials(a: Credentials, b: Credentials): boolean {
  return a.bearerToken === b.bearerToken && a.certificate === b.certificate && a.key === b.key
}

/** The connection is shared: a caller that aborts must not close it. */
function withSignal<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
