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

/** An authorized HTTP/1.1 request for an upgrade to WebSocket or SPDY. */
export interface UpgradeCall {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  /** Headers with lower-case names, without a bearer token from the WebSocket sub-protocol. */
  readonly headers: RequestHeaders
  /** For libraries that take over the connection; has the same headers. */
  readonly request: IncomingMessage
  /** The connection, owned by the route until the promise of `handle` settles. */
  readonly socket: Duplex
  /** Bytes received after the request. */
  readonly head: Buffer
  readonly info: RequestInfo
  readonly query: URLSearchParams
  /** User after impersonation. */
  readonly user: UserInfo
  readonly auditId: string
  /** Address of the client: `127.0.0.1:40000`. */
  readonly address: string
  /** Aborted at shutdown. */
  readonly signal: AbortSignal
  /** Records the status code in the audit log. Default 101. */
  answered(code: number): void
}

/** Serves upgraded connections of some paths. */
export interface UpgradeRoute {
  /**
   * Reports whether the route serves the request. Called before authentication, so it must be cheap
   * and reveal nothing.
   */
  matches(info: RequestInfo): boolean
  /**
   * Serves the connection, and settles at its end. A rejection before the first write is answered
   * with a Status: throw StatusError for client errors. The connection is closed afterwards.
   */
  handle(call: UpgradeCall): Promise<void>
}

/** Options of {@link createUpgradeHandler}. */
export interface UpgradeHandlerOptions {
  readonly authenticate: Authenticator
  readonly authorize: Authorizer
  /** The first match handles the request. */
  readonly routes: readonly UpgradeRoute[]
  readonly now: () => number
  readonly audit: Auditor | undefined
  /** Called for errors that are not the client's. */
  readonly onInternalError: (error: unknown, request: string) => void
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal
  /** Largest number of connections. Default 1000. */
  readonly limit?: number
}

const defaultLimit = 1000

/**
 * Handles upgrades with the same authentication, impersonation and authorization as other requests.
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
