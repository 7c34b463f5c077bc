import { internalError, pathNotFound, type Status, StatusError } from '#apimachinery/errors.ts'
import type { AuditTrail } from '#apiserver/audit/audit-trail.ts'
import type { Auditor } from '#apiserver/audit/auditor.ts'
import { RecordedExchange } from '#apiserver/audit/recorded-exchange.ts'
import type { Authenticator } from '#apiserver/authentication/authenticator.ts'
import { impersonatedUser } from '#apiserver/authentication/impersonation.ts'
import { accessDenied, attributesOf, type Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { FlowControl } from '#apiserver/flow-control/flow-control.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { parseRequestInfo, type RequestInfo } from '#apiserver/request/request-info.ts'
import { checkTimeout } from '#apiserver/request/request-timeout.ts'
import { auditIdOf } from './audit-id.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import { createInFlightLimiter, type InFlightKind, type InFlightLimits } from './in-flight-limiter.ts'
import type { PublishedPaths } from '../published/published-paths.ts'
import { Reply } from './reply.ts'
import type { RequestSample, SampleSubject } from './request-sample.ts'
import type { ResourceHandler } from './resources/resource-handler.ts'
import { routeName, type Routes } from './routes.ts'
import { splitUrl } from '../http/split-url.ts'

/** Options of {@link createRequestHandler}. */
export interface RequestHandlerOptions {
  readonly authenticate: Authenticator
  readonly authorize: Authorizer
  readonly resources: ResourceHandler
  readonly routes: Routes
  /**
   * Reports whether another server answers the request, which then does not count against the
   * limits.
   */
  readonly delegated?: (info: RequestInfo) => boolean
  readonly now: () => number
  /** Answers requests for published paths, before authentication. */
  readonly published?: PublishedPaths | undefined
  /** Derives metric labels from a request. */
  readonly subjectOf: (info: RequestInfo) => SampleSubject
  /** Called once per answered request; for a watch, at its end. */
  readonly observe: ((sample: RequestSample) => void) | undefined
  readonly audit: Auditor | undefined
  /** Called for errors that are not the client's. */
  readonly onInternalError: (error: unknown, request: string) => void
  /** Finds the FlowSchema of a request. */
  readonly flows?: Pick<FlowControl, 'classify'> | undefined
  /** Limits of concurrent requests, watches excluded. */
  readonly limits: InFlightLimits
}

/**
 * Handles a request: authentication, impersonation, authorization, then the resource handler or a
 * route. Every error becomes a Status. The returned function never throws, and its promise never
 * rejects. It is the entry point of this package, which holds everything between an HTTP request
 * and the verbs; TLS and HTTP itself are in `http`.
 */
export function createRequestHandler(options: RequestHandlerOptions): (exchange: Exchange) => Promise<void> {
  const limiter = createInFlightLimiter(options.limits)

  // Not async: each additional promise costs every request, and memory for every idle watch.
  const answer = (exchange: Exchange, reply: Reply, info: RequestInfo, query: URLSearchParams, user: UserInfo): Promise<void> => {
    const attributes = attributesOf(info, query)
    const decision = options.authorize(user, attributes)
    reply.trail?.decided(decision)
    if (!decision.allowed) throw accessDenied(user, attributes, decision.reason)
    if (info.kind === 'resource') return options.resources({ exchange, reply, info, query, user })
    const route = options.routes.get(routeName(info.path))
    if (route === undefined) throw pathNotFound()
    return route({ exchange, reply, path: info.path, query, user })
  }

  const statusOf = (error: unknown, exchange: Exchange): StatusError => {
    // kube-apiserver answers an apply configuration with unknown fields with 500 and no reason,
    // which is a client error. 503 is what a pod behind the server does not answer.
    if (error instanceof StatusError && (error.code < 500 || error.code === 503 || error.reason === '')) return error
    options.onInternalError(error, `${exchange.method} ${exchange.url}`)
    return error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error), error)
  }

  return async (exchange) => {
    const published = options.published?.(exchange)
    if (published !== undefined) return published
    const receivedMs = options.now()
    const { path, query } = splitUrl(exchange.url)
    const info = parseRequestInfo(exchange.method, path, query)
    const reply = new Reply(exchange, query, auditIdOf(exchange.headers))
    let inFlight: InFlightKind | undefined
    let user: UserInfo | undefined
    // Read now, as a watch releases its headers.
    const userAgent = options.audit === undefined ? '' : (headerOf(exchange.headers, 'user-agent') ?? '')
    const record = (user: UserInfo | undefined): AuditTrail | undefined =>
      options.audit?.({ auditId: reply.auditId, url: exchange.url, info, user, address: exchange.peer.address, userAgent, receivedMs })
    let failure: Status | undefined
    try {
      checkTimeout(info, query)
      user = options.authenticate(exchange)
      reply.trail = record(user)
      if (options.delegated?.(info) !== true) inFlight = limiter.enter(info, user)
      const actor = impersonatedUser(user, exchange.headers, options.authorize)
      if (actor !== user) reply.trail?.actsAs(actor)
      reply.flow = options.flows?.classify(info, actor)
      await answer(reply.trail?.wantsRequest === true ? new RecordedExchange(exchange, reply.trail) : exchange, reply, info, query, actor)
    } catch (error) {
      failure = statusOf(error, exchange).status
      if (user === undefined) reply.trail = record(undefined)
      reply.fail(failure)
    } finally {
      if (inFlight !== undefined && user !== undefined) limiter.leave(inFlight, user)
    }
    reply.trail?.completed(reply.code, failure)
    const answeredMs = options.now()
    options.observe?.({
      ...options.subjectOf(info),
      code: reply.code,
      durationMs: answeredMs - receivedMs,
      answerBytes: reply.bytes,
      flow: reply.flow,
    })
  }
}
