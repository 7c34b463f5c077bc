import { connect, constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { TransportError } from '../client.ts'
import type { TransportRequest, TransportResponse } from '../transport.ts'
import { runExchange } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import type { CompleteHttpConfig } from './http-config.ts'

/** A connection that carries requests until it is no longer usable. */
export interface Connection extends Disposable {
  /** False as soon as new requests need another connection; running ones may still succeed. */
  readonly usable: boolean
  /** True when no request is running and none will be. */
  readonly ended: boolean
  request(request: TransportRequest, path: string, headers: Readonly<Record<string, string>>): Promise<TransportResponse>
}

/**
 * Flow-control windows. Node's default of 64 KiB per connection would let one slow watch stop all
 * other requests.
 */
const streamWindowBytes = 1 << 20
const sessionWindowBytes = 16 << 20
/**
 * Megabytes of buffers, above which Node refuses streams: must hold the windows of unread streams.
 */
const sessionMemory = 128

/** Speaks HTTP/2 over a connected socket: one connection, any number of requests and watches. */
export function createHttp2Connection(config: CompleteHttpConfig, socket: TLSSocket): Connection {
  return new Http2Connection(config, socket)
}

class Http2Connection implements Connection {
  readonly #config: CompleteHttpConfig
  readonly #session: ClientHttp2Session
  readonly #pinger: NodeJS.Timeout
  #draining = false
  #open = 0

  constructor(config: CompleteHttpConfig, socket: TLSSocket) {
    this.#config = config
    this.#session = connect(config.server, {
      createConnection: () => socket,
      maxSessionMemory: sessionMemory,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    })
    this.#session.setLocalWindowSize(sessionWindowBytes)
    this.#session.on('goaway', () => (this.#draining = true))
    // Every stream reports the error too; without a listener here it would end the process.
    this.#session.on('error', () => (this.#draining = true))
    this.#session.once('close', () => clearInterval(this.#pinger))
    this.#pinger = setInterval(() => this.#ping(), config.pingIntervalMs)
    this.#pinger.unref()
    this.#session.unref()
  }

  get usable(): boolean {
    const limit = this.#session.remoteSettings?.maxConcurrentStreams ?? Number.POSITIVE_INFINITY
    return !this.#draining && !this.#session.closed && !this.#session.destroyed && this.#open < limit
  }

  get ended(): boolean {
    return this.#session.destroyed
  }

  request(request: TransportRequest, path: string, headers: Readonly<Record<string, string>>): Promise<TransportResponse> {
    return runExchange(request, this.#config.requestTimeoutMs, (exchange) => {
      let stream: ClientHttp2Stream
      try {
        stream = this.#session.request({ ':method': request.method, ':path': path, ...headers }, { endStream: request.body === undefined })
      } catch (error) {
        exchange.fail(error as Error, true)
        return () => {}
      }
      this.#track(stream)
      listen(stream, exchange)
      if (request.body !== undefined) stream.end(request.body)
      return (reason) => stream.destroy(reason)
    })
  }

  /** The session keeps the process alive only while requests are running. */
  #track(stream: ClientHttp2Stream): void {
    if (this.#open++ === 0) this.#session.ref()
    stream.once('close', () => {
      if (--this.#open > 0 || this.#session.destroyed) return
      this.#session.unref()
      if (this.#draining) this.#session.close()
    })
  }

  #ping(): void {
    if (this.#session.destroyed) return
    const { server, pingTimeoutMs } = this.#config
    const dead = (): void => this.#session.destroy(new TransportError(`${server} did not answer a ping within ${pingTimeoutMs} ms`))
    // When this process itself was held up, the timer runs before the answer that has long been
    // here is read: hence a second chance.
    let timer = setTimeout(() => {
      timer = setTimeout(dead, Math.min(1_000, pingTimeoutMs)).unref()
    }, pingTimeoutMs).unref()
    const sent = this.#session.ping(() => clearTimeout(timer))
    if (!sent) clearTimeout(timer)
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }
}

function listen(stream: ClientHttp2Stream, exchange: Exchange): void {
  let failure: Error | undefined
  const complete = (): boolean => stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.aborted
  stream.once('response', (headers) => exchange.head(Number(headers[':status']), plainHeaders(headers), stream, complete))
  stream.on('error', (error) => (failure = error))
  stream.once('close', () => {
    // REFUSED_STREAM promises that the server did nothing; a peer that went away before the stream
    // began, too.
    const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || stream.id === undefined
    exchange.fail(failure ?? new TransportError('The server closed the stream without an answer', { unsent: refused }), refused)
  })
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
  return Object.fromEntries(pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}
