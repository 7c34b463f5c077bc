import { pipeline } from 'node:stream'
import { StatusError, tooManyRequests } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { Exchange } from '#apiserver/http/exchange.ts'
import type { Reply } from '#apiserver/front/reply.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { EndpointFinder, HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { RemoteApi } from '../api-services/api-services.ts'
import type { BackendAnswer } from '../backend/backend.ts'
import type { BackendPool } from '../backend/backend-pool.ts'
import { assertCanonicalPath } from './canonical-path.ts'
import { forwardedAnswer, forwardedRequest } from '../backend/forwarded-headers.ts'

/** An authorized request for a remote group version. */
export interface ProxyCall {
  readonly exchange: Exchange
  readonly reply: Reply
  readonly info: RequestInfo
  readonly user: UserInfo
}

/** Options of {@link createProxy}. */
export interface ProxyOptions {
  readonly pool: BackendPool
  readonly find: EndpointFinder
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Called when a server could not be reached, to check its availability. */
  readonly onUnreachable: (api: RemoteApi) => void
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal
}

/** Forwards a request and its answer. */
export type Proxy = (api: RemoteApi, call: ProxyCall) => Promise<void>

/** Time-out for the head of an answer; watches send theirs at once. */
const answerMs = 60_000
/**
 * Concurrent requests per APIService, watches included, so that a slow server cannot occupy
 * everything.
 */
const requestsLimit = 4000
/** Message for redirects, which could send a client's credentials elsewhere. */
export const redirectRefused = 'the backend attempted to redirect this request, which is not permitted'

/** Picks a random address; undefined when there is none. */
export function pickAddress(find: EndpointFinder, { service }: RemoteApi, random: () => number): HostPort | undefined {
  const found = find(service.namespace, service.name, service.port)
  if (found.kind !== 'ready') return undefined
  return found.addresses[Math.floor(random() * found.addresses.length)]
}

/** Reports whether an answer redirects. */
export function isRedirect({ status, headers }: Pick<BackendAnswer, 'status' | 'headers'>): boolean {
  return status >= 300 && status < 400 && headers.some(([name]) => name === 'location')
}

function sendText(reply: Reply, code: number, text: string): void {
  reply.send(code, 'text/plain; charset=utf-8', Buffer.from(`${text}\n`), { 'x-content-type-options': 'nosniff' })
}

function timedOut(): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Timeout: request did not complete within the allowed duration',
    reason: 'Timeout',
    details: {},
    code: 504,
  })
}

/** Proxies requests other than upgrades to extension API servers. */
export function createProxy({ pool, find, random, onUnreachable, stopping }: ProxyOptions): Proxy {
  const running = new Map<string, number>()

  const relay = async (api: RemoteApi, { exchange, reply, info, user }: ProxyCall, address: HostPort): Promise<void> => {
    const gone = new AbortController()
    exchange.onGone(() => gone.abort())
    const thinking = new AbortController()
    const timer = info.verb === 'watch' ? undefined : setTimeout(() => thinking.abort(), answerMs).unref()
    let answer: BackendAnswer
    try {
      answer = await pool.request(api, address, {
        method: exchange.method,
        path: exchange.url,
        headers: forwardedRequest(exchange.headers, user, reply.auditId, exchange.peer.address),
        body: exchange.body(),
        signal: AbortSignal.any([gone.signal, thinking.signal, stopping]),
      })
    } catch (error) {
      if (gone.signal.aborted) return
      if (thinking.signal.aborted) throw timedOut()
      onUnreachable(api)
      return sendText(reply, 503, `error trying to reach service: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      clearTimeout(timer)
    }
    if (isRedirect(answer)) {
      answer.body.destroy()
      return sendText(reply, 502, redirectRefused)
    }
    const target = reply.relay(answer.status, forwardedAnswer(answer.headers))
    if (target === undefined) return void answer.body.destroy()
    await new Promise<void>((resolve) => {
      // After the head is sent, a failure can only be signalled by breaking the answer off.
      pipeline(answer.body, target, () => resolve())
    })
  }

  return async (api, call) => {
    assertCanonicalPath(call.exchange.url)
    const address = api.available ? pickAddress(find, api, random) : undefined
    if (address === undefined) return sendText(call.reply, 503, 'service unavailable')
    const now = (running.get(api.name) ?? 0) + 1
    if (now > requestsLimit) throw tooManyRequests('too many requests are running at this server, please try again later', 1)
    running.set(api.name, now)
    try {
      await relay(api, call, address)
    } finally {
      const left = (running.get(api.name) ?? 1) - 1
      if (left > 0) running.set(api.name, left)
      else running.delete(api.name)
    }
  }
}
