import type { Readable, Writable } from 'node:stream'
import { type AnswerHeaders, type AnswerStream, type Exchange, headerOf, type Peer, type RequestHeaders } from '#apiserver/http/exchange.ts'
import type { AuditTrail } from './audit-trail.ts'

/**
 * Exchange that records the request's body when it is read. Bodies of proxied requests are not
 * recorded.
 */
export class RecordedExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly peer: Peer
  readonly #exchange: Exchange
  readonly #trail: AuditTrail

  constructor(exchange: Exchange, trail: AuditTrail) {
    this.method = exchange.method
    this.url = exchange.url
    this.peer = exchange.peer
    this.#exchange = exchange
    this.#trail = trail
  }

  get headers(): RequestHeaders {
    return this.#exchange.headers
  }

  onGone(callback: () => void): void {
    this.#exchange.onGone(callback)
  }

  async readBody(limitBytes: number): Promise<Buffer> {
    const bytes = await this.#exchange.readBody(limitBytes)
    this.#trail.request(bytes, headerOf(this.headers, 'content-type'))
    return bytes
  }

  body(): Readable | undefined {
    return this.#exchange.body()
  }

  relay(status: number, headers: AnswerHeaders): Writable | undefined {
    return this.#exchange.relay(status, headers)
  }

  send(status: number, headers: AnswerHeaders, body: Buffer): void {
    this.#exchange.send(status, headers, body)
  }

  open(status: number, headers: AnswerHeaders): AnswerStream {
    return this.#exchange.open(status, headers)
  }
}
