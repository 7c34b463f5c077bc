import type { IncomingMessage, ServerResponse } from 'node:http'
import { badRequest, internalError, methodNotAllowed, pathNotFound, StatusError, unauthorized } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Logger } from '../process/log.ts'
import { readBody } from '../webhook/request-body.ts'
import { assertAccess } from './access.ts'
import { verbs, type AggregatedAnswer, type AggregatedGroup, type Method } from './aggregated-group.ts'
import { groupDocument, groupList, resourceList } from './discovery.ts'
import { callerOf, type Caller, type FrontProxy } from './front-proxy.ts'
import { routeOf, type Route } from './route.ts'

/** Dependencies of an aggregated API. */
export interface AggregatedApiOptions {
  readonly group: AggregatedGroup
  /** For asking whether callers may. */
  readonly client: Pick<Client, 'create'>
  /** Asked each time. */
  readonly proxy: () => FrontProxy
  readonly log: Logger
  /**
   * Called once per answered request, for metrics. Names come from the group and not from the path,
   * which clients choose freely.
   */
  readonly observe?: (request: AggregatedObservation) => void
  /** Maximum size of a body in bytes. Default 3 MiB, the limit of the API server. */
  readonly bodyLimitBytes?: number
}

/** Result of a request. */
export interface AggregatedObservation {
  readonly verb: string
  /** Empty for discovery and for unknown resources. */
  readonly resource: string
  readonly subresource: string
  readonly code: number
  readonly ms: number
}

/** Answers a request; never rejects. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Serves a group behind an APIService: authenticates the front proxy, authorizes the user by
 * SubjectAccessReview, and calls the handler only then.
 */
export function createAggregatedApi(options: AggregatedApiOptions): RequestHandler {
  return async (request, response) => {
    const start = performance.now()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await respond(options, request, gone.signal).catch((error: unknown) =>
      // A failure of a request whose client has disconnected is not logged.
      gone.signal.aborted ? undefined : failure(options.log, request, error),
    )
    if (answer === undefined) return
    options.observe?.({ ...subjectOf(options.group, request), code: answer.code, ms: performance.now() - start })
    send(response, answer)
  }
}

/** Returns what a request is about, by names of the group. */
export function subjectOf(
  group: AggregatedGroup,
  request: IncomingMessage,
): Pick<AggregatedObservation, 'verb' | 'resource' | 'subresource'> {
  const { method = '' } = request
  const route = routeOf(group, pathOf(request))
  const verb = Object.hasOwn(verbs, method) ? verbs[method as Method] : 'other'
  const { resource = '', subresource = '' } = route?.kind === 'resource' ? route.resource : {}
  return { verb, resource, subresource }
}

/** Returns the path of a request without its query. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return url.split('?', 1)[0] ?? ''
}

async function respond(options: AggregatedApiOptions, request: IncomingMessage, signal: AbortSignal): Promise<AggregatedAnswer> {
  const { group, bodyLimitBytes = 3 << 20 } = options
  const { caller, route } = admitted(options, request)
  if (route.kind !== 'resource') return describe(group, route, request.method ?? '')
  const { resource, namespace, name } = route
  const method = request.method as Method
  const subject = { group: group.group, plural: resource.resource }
  if (!Object.hasOwn(verbs, method)) throw methodNotAllowed(subject, request.method ?? '')
  await assertAccess(options.client, caller, accessOf(group, route, verbs[method]), signal)
  const handler = resource.handlers[method]
  if (handler === undefined && method === 'GET' && resource.stream !== undefined)
    throw badRequest("websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header")
  if (handler === undefined) throw methodNotAllowed(subject, verbs[method])
  return handler({ caller, namespace, name, body: await readBody(request, bodyLimitBytes), query: queryOf(request), signal })
}

/** Returns the user and the route of a request. @throws StatusError 401 or 404 */
export function admitted(
  { group, proxy }: Pick<AggregatedApiOptions, 'group' | 'proxy'>,
  request: IncomingMessage,
): { readonly caller: Caller; readonly route: Route } {
  const caller = callerOf(proxy(), request)
  if (caller === undefined) throw unauthorized()
  const route = routeOf(group, pathOf(request))
  if (route === undefined) throw pathNotFound()
  return { caller, route }
}

/** Returns what the user must have access to. */
export function accessOf(
  { group }: AggregatedGroup,
  route: Route & { kind: 'resource' },
  verb: string,
): Parameters<typeof assertAccess>[2] {
  const { resource, version, namespace, name } = route
  return { group, version, namespace, name, verb, resource: resource.resource, subresource: resource.subresource ?? '' }
}

/** Discovery describes no objects: every authenticated user may read it. */
function describe(group: AggregatedGroup, route: Exclude<Route, { kind: 'resource' }>, method: string): AggregatedAnswer {
  if (method !== 'GET' && method !== 'HEAD') throw badRequest(`discovery must be read: the method is "${method}"`)
  if (route.kind === 'groups') return { code: 200, body: groupList(group) }
  return { code: 200, body: route.kind === 'version' ? resourceList(group, route.version) : groupDocument(group) }
}

/** Returns the answer for a thrown error. */
export function failure(log: Logger, request: IncomingMessage, error: unknown): AggregatedAnswer {
  if (error instanceof StatusError) return { code: error.code, body: error.status }
  log.error({ error, url: request.url }, 'A request of the aggregated API failed')
  const { code, status } = internalError(error instanceof Error ? error.message : String(error))
  return { code, body: status }
}

function send(response: ServerResponse, { code, body, content, warnings = [] }: AggregatedAnswer): void {
  if (response.destroyed) return
  const bytes = content?.bytes ?? Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const type = content?.type ?? (body === undefined ? undefined : 'application/json')
  response.statusCode = code
  response.setHeader('content-length', bytes.length)
  if (type !== undefined) response.setHeader('content-type', type)
  if (warnings.length > 0) response.setHeader('warning', warnings.map(warningField))
  response.end(bytes)
}

/** Reads the query of a request. */
export function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split('?', 2)[1] ?? '')
}

/** RFC 7234's form: code, agent and a quoted text; header fields carry bytes. */
function warningField(text: string): string {
  const quoted = text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/["\\]/g, String.raw`\$&`)
  return Buffer.from(`299 - "${quoted}"`, 'utf8').toString('latin1')
}
