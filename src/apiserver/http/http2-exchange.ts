import type { Readable, Writable } from 'node:stream'
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { readAll } from './body-reader.ts'
import { drain } from './drain.ts'
import { separateIdentity } from './separate-identity.ts'
import type { AnswerHeaders, AnswerStream, Exchange, Peer, RequestHeaders } from './exchange.ts'

const noHeaders: RequestHeaders = {}

/**
 * A request on an HTTP/2 stream, twice as fast as through Node's compatibility layer. A class, to
 * keep ten thousand idle watches small.
 */
export class Http2Exchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly peer: Peer
  readonly #stream: ServerHttp2Stream
  #headers: RequestHeaders

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[], peer: Peer) {
    this.method = headers[':method'] ?? 'GET'
    this.url = headers[':path'] ?? '/'
    this.peer = peer
    this.#stream = stream
    this.#headers = separateIdentity(headers, raw)
    // Resets and broken connections are normal; 'close' ends the request's work.
    stream.on('error', ignore)
  }

  get headers(): RequestHeaders {
    return this.#headers
  }

  onGone(callback: () => void): void {
    if (this.#stream.destroyed || this.#stream.closed) callback()
    else this.#stream.once('close', callback)
  }

  readBody(limitBytes: number): Promise<Buffer> {
    if (this.#stream.endAfterHeaders) return Promise.resolve(Buffer.alloc(0))
    if (this.#headers['expect'] === '100-continue') this.#stream.additionalHeaders({ ':status': 100 })
    return readAll(this.#stream, this.#headers['content-length'] as string | undefined, limitBytes)
  }

  body(): Readable | undefined {
    if (this.#stream.endAfterHeaders) return undefined
    if (this.#headers['expect'] === '100-continue') this.#stream.additionalHeaders({ ':status': 100 })
    return this.#stream
  }

  relay(status: number, answer: AnswerHeaders): Writable | undefined {
    const stream = this.#stream
    if (!this.#respond(status, answer, false)) return undefined
    if (!stream.endAfterHeaders) stream.once('finish', () => this.#discard())
    return stream
  }

  send(status: number, answer: AnswerHeaders, body: Buffer): void {
    const stream = this.#stream
    const empty = body.length === 0 || this.method === 'HEAD'
    if (!this.#respond(status, answer, empty)) return
    if (!empty) stream.end(body)
    if (!stream.endAfterHeaders) this.#discard()
  }

  /** Discards an unread body, which would otherwise hold its flow-control window. */
  #discard(): void {
    const stream = this.#stream
    if (!stream.readableEnded) drain(stream, () => stream.close(constants.NGHTTP2_NO_ERROR))
  }

  open(status: number, answer: AnswerHeaders): AnswerStream {
    this.#respond(status, answer, false)
    this.#headers = noHeaders
    return new Http2AnswerStream(this.#stream)
  }

  #respond(status: number, answer: AnswerHeaders, endStream: boolean): boolean {
    const stream = this.#stream
    if (stream.destroyed || stream.closed || stream.headersSent) return false
    stream.respond(headerList(status, answer), { endStream })
    return true
  }
}

class Http2AnswerStream implements AnswerStream {
  readonly #stream: ServerHttp2Stream

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream
  }

  get pendingBytes(): number {
    return this.#stream.writableLength
  }

  write(chunk: Buffer): void {
    if (this.#stream.writable) this.#stream.write(chunk)
  }

  end(): void {
    if (this.#stream.writable) this.#stream.end()
  }

  abort(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  }
}

/** Alternating names and values, which Node sends without a copy. */
function headerList(status: number, answer: AnswerHeaders): string[] {
  const list = [':status', String(status)]
  for (const name in answer) {
    const value = answer[name]
    if (typeof value === 'string') list.push(name, value)
    else for (const each of value ?? []) list.push(name, each)
  }
  return list
}

function ignore(): void {}
