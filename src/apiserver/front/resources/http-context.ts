import type { RequestContext, UserInfo } from '#apiserver/request/api-request.ts'
import { type Exchange, headerOf } from '#apiserver/http/exchange.ts'
import { fieldManagerOf } from './query-options.ts'
import type { Reply } from '../reply.ts'

/** Context of an HTTP request. A class with lazy members, as most requests use few of them. */
export class HttpContext implements RequestContext {
  readonly user: UserInfo
  readonly #exchange: Exchange
  readonly #reply: Reply
  readonly #query: URLSearchParams
  /** Read at once, as a watch releases its headers. */
  readonly #userAgent: string | undefined
  #gone: AbortController | undefined

  constructor(user: UserInfo, exchange: Exchange, reply: Reply, query: URLSearchParams) {
    this.user = user
    this.#exchange = exchange
    this.#reply = reply
    this.#query = query
    this.#userAgent = headerOf(exchange.headers, 'user-agent')
  }

  get fieldManager(): string {
    return fieldManagerOf(this.#query, this.#userAgent)
  }

  /** Created on first use: most requests end before anything needs it. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController()
      this.#gone = gone
      this.#exchange.onGone(() => gone.abort())
    }
    return this.#gone.signal
  }

  warn(text: string): void {
    this.#reply.warn(text)
  }

  annotate(key: string, value: string): void {
    this.#reply.trail?.annotate(key, value)
  }
}
