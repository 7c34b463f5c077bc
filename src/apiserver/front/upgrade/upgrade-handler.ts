import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { internalError, pathNotFound, type Status, StatusError, tooManyRequests } from '#apimachinery/errors.ts'
import type { AuditTrail } from '#apiserver/audit/audit-trail.ts'
import type { Auditor } from '#apiserver/audit/auditor.ts'
import type { Authenticator } from '#apiserver/authentication/authenticator.ts'
import { impersonatedUser } from '#apiserver/authentication/impersonation.ts'
import { accessDenied, attributesOf, type Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { parseRequestInfo, type RequestInfo } from '#apiserver/request/request-info.ts'
import { auditIdOf } from '../audit-id.ts'
import { headerOf, type Peer, type RequestHeaders } from '#apiserver/http/exchange.ts'
import type { UpgradeHandler } from '#apiserver/http/upgrade-listener.ts'
import { separateIdentity } from '#apiserver/http/separate-identity.ts'
import { splitUrl } from '#apiserver/http/split-url.ts'
import { answerUpgrade } from './upgrade-answer.ts'
import { takeWebSocketBearer } from './websocket-bearer.ts'

/** One authorized HTTP/1.1 request that wants to become something else: WebSocket, SPDY. */
export interface UpgradeCall {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  /**
   * Headers with lower-case names, without a bearer token that came as a WebSocket sub-protocol.
   */
  readonly headers: RequestHeaders
  /** For libraries that take a connection over; its headers are those above. */
  readonly request: IncomingMessage
  /** The connection. It belongs to the route until the promise of `handle` settles. */
  readonly socket: Duplex
  /** What the client has sent already after its request. */
  readonly head: Buffer
  readonly info: RequestInfo
  readonly query: URLSearchParams
  /** Whom the request acts as: after impersonation. */
  readonly user: UserInfo
  readonly auditId: string
  /** Where the client is: `127.0.0.1:40000`. */
  readonly address: string
  /** Aborted when the server stops. */
  readonly signal: AbortSignal
  /** Tells the audit log how it was answered. Default 101. */
  answered(code: number): void
}

/** Takes over upgraded connections of some paths. */
export interface UpgradeRoute {
  /**
   * Whether it serves such requests. Asked before anybody knows who asks, so it must reveal nothing
   * and cost nothing.
   */
  matches(info: RequestInfo): boolean
  /**
   * Speaks on the connection; settles when that has ended. A rejection before anything was written
   * is answered as Status: throw StatusError for what the client did wrong. The connection is
   * closed afterwards, if it still is open.
   */
  handle(call: UpgradeCall): Promise<void>
}

/** What {@link createUpgradeHandler} needs. */
export interface UpgradeHandlerOptions {
  readonly authenticate: Authenticator
  readonly authorize: Authorizer
  /** The first that matches takes the request. */
  readonly routes: readonly UpgradeRoute[]
  readonly now: () => number
  readonly audit: Auditor | undefined
  /** Called for failures that are our fault. */
  readonly onInternalError: (error: unknown, request: string) => void
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  /** Connections at a time. Default 1000. */
  readonly limit?: number
}

const defaultLimit = 1000

/**
 * The way of every upgrade, the same as that of every other request: who asks, whom they act as,
 * whether they may; then the route for the path.
 */
export function createUpgradeHandler(options: UpgradeHandlerOptions): UpgradeHandler {
  const { authenticate, authorize, routes, now, audit, onInternalError, stopping, limit = defaultLimit } = options
  let open = 0

  const infoOf = (request: IncomingMessage): { readonly info: RequestInfo; readonly query: URLSearchParams } => {
    const { path, query } = splitUrl(request.url ?? '/')
    return { info: parseRequestInfo(request.method ?? 'GET', path, query), query }
  }
  const routeFor = (info: RequestInfo): UpgradeRoute | undefined => routes.find((route) => route.matches(info))

  const failure = (error: unknown, url: string): StatusError => {
    if (error instanceof StatusError && error.code < 500) return error
    onInternalError(error, `upgrade ${url}`)
    return error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error), error)
  }

  const serve = async (request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): Promise<void> => {
    const receivedMs = now()
    const { info, query } = infoOf(request)
    const url = request.url ?? '/'
    const auditId = auditIdOf(request.headers)
    let code = 101
    let answered = false
    let trail: AuditTrail | undefined
    let isKnown = false
    const record = (user: UserInfo | undefined): AuditTrail | undefined => {
      const userAgent = headerOf(request.headers, 'user-agent') ?? ''
      return audit?.({ auditId, url, info, user, address: peer.address, userAgent, receivedMs })
    }
    let refusal: Status | undefined
    try {
      if (open > limit) throw tooManyRequests('too many connections are upgraded, please try again later', 1)
      takeWebSocketBearer(request)
      const headers = separateIdentity(request.headers, request.rawHeaders)
      const user = authenticate({ headers, peer })
      isKnown = true
      trail = record(user)
      const actor = impersonatedUser(user, headers, authorize)
      if (actor !== user) trail?.actsAs(actor)
      const attributes = attributesOf(info, query)
      const decision = authorize(actor, attributes)
      trail?.decided(decision)
      if (!decision.allowed) throw accessDenied(actor, attributes, decision.reason)
      const route = routeFor(info)
      if (route === undefined) throw pathNotFound()
      await route.handle({
        method: request.method ?? 'GET',
        url,
        headers: request.headers,
        request,
        socket,
        head,
        info,
        query,
        user: actor,
        auditId,
        address: peer.address,
        signal: stopping,
        answered: (given) => {
          answered = true
          code = given
        },
      })
    } catch (error) {
      const { status } = failure(error, url)
      if (!answered) {
        code = status.code ?? 500
        refusal = status
      }
      if (!isKnown) trail = record(undefined)
      answerUpgrade(socket, status, auditId)
    }
    trail?.completed(code, refusal)
  }

  return {
    accepts: (request) => routeFor(infoOf(request).info) !== undefined,
    handle(request, socket, head, peer) {
      socket.on('error', () => socket.destroy())
      open += 1
      void serve(request, socket, head, peer).finally(() => {
        open -= 1
        if (socket.writable) socket.end()
      })
    },
  }
}
