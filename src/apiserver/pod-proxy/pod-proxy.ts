import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import { pathNotFound, serviceUnavailable, tooManyRequests } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { headerList } from '#apiserver/aggregation/backend/backend.ts'
import { forwardedAnswer, forwardedRequest } from '#apiserver/aggregation/backend/forwarded-headers.ts'
import type { ResourceCall } from '#apiserver/front/resources/resource-handler.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { RequestInfo, ResourceRequest } from '#apiserver/request/request-info.ts'
import type { EndpointFinder, HostPort } from '#apiserver/services/endpoint-finder.ts'
import { parseProxyName, podAddress, type ProxyName, serviceAddress } from './proxy-target.ts'

/** Options of {@link createPodProxy}. */
export interface PodProxyOptions {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  readonly find: EndpointFinder
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Default: pods are reached over the network of this process. */
  readonly connect?: PodConnector | undefined
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal
}

/** Connects to a port of a pod. Rejects with the error of the system. */
export type PodConnector = (host: string, port: number, signal: AbortSignal) => Promise<Socket>

/** Serves `…/pods/<name>/proxy/…` and `…/services/<name>/proxy/…`. */
export interface PodProxy {
  /** Reports whether the request is one of these, which may take as long as the pod likes. */
  serves(info: RequestInfo): boolean
  /** Returns undefined for other requests. */
  handle(call: ResourceCall): Promise<void> | undefined
}

/** Concurrent requests, so that slow pods cannot occupy everything. */
const requestsLimit = 1000

const optionKinds: Readonly<Record<string, string>> = { pods: 'PodProxyOptions', services: 'ServiceProxyOptions' }

/** Forwards requests to what pods and services serve, without the credentials of the client. */
export function createPodProxy({ verbs, registry, find, random, connect, stopping }: PodProxyOptions): PodProxy {
  let running = 0

  const isProxied = (info: RequestInfo): info is ResourceRequest =>
    info.kind === 'resource' && info.group === '' && info.subresource === 'proxy' && info.resource in optionKinds

  /** The address after admission. @throws StatusError */
  const addressOf = async ({ info, user, reply }: ResourceCall, name: ProxyName, path: string): Promise<HostPort> => {
    const definition = registry.find('', 'v1', info.resource)
    if (definition === undefined || info.namespace === undefined) throw pathNotFound()
    const target = { definition, namespace: info.namespace, name: name.name, subresource: 'proxy' }
    const options = { apiVersion: 'v1', kind: optionKinds[info.resource] ?? '', path } as KubeObject
    const context = { user, warn: (text: string) => reply.warn(text), signal: stopping, fieldManager: '' }
    const { object } = await verbs.connect(target, options, context)
    return info.resource === 'pods' ? podAddress(object as Pod, name) : serviceAddress(find, object as Service, name, random)
  }

  const serve = async (call: ResourceCall): Promise<void> => {
    const { info, exchange, reply } = call
    const { path, query } = proxiedPath(exchange.url)
    const name = parseProxyName(info.name, info.resource === 'pods' ? 'pod' : 'service')
    const address = await addressOf(call, name, path)
    // Relative links of a page lead below it only if its path ends with a slash.
    if (path === '' && (exchange.method === 'GET' || exchange.method === 'HEAD'))
      return reply.send(301, 'text/plain; charset=utf-8', Buffer.alloc(0), { location: `${info.path}/${query}` })
    if (running >= requestsLimit) throw tooManyRequests('too many requests to pods are running, please try again later', 1)
    running += 1
    try {
      await relay(call, name.scheme, address, `${path === '' ? '/' : path}${query}`)
    } finally {
      running -= 1
    }
  }

  const relay = async ({ exchange, reply }: ResourceCall, scheme: ProxyName['scheme'], address: HostPort, path: string): Promise<void> => {
    const gone = new AbortController()
    exchange.onGone(() => gone.abort())
    const signal = AbortSignal.any([gone.signal, stopping])
    const headers = forwardedRequest(exchange.headers, undefined, reply.auditId, exchange.peer.address)
    let answer: IncomingMessage
    try {
      const socket = await connect?.(address.host, address.port, signal)
      answer = await send(scheme, address, { method: exchange.method, path, headers, body: exchange.body(), socket, signal })
    } catch (error) {
      if (gone.signal.aborted) return
      throw serviceUnavailable(`error trying to reach service: ${error instanceof Error ? error.message : String(error)}`)
    }
    const target = reply.relay(answer.statusCode ?? 502, forwardedAnswer(headerList(answer.headers)))
    if (target === undefined) return void answer.destroy()
    await new Promise<void>((resolve) => {
      // After the head is sent, a failure can only be signalled by breaking the answer off.
      pipeline(answer, target, () => resolve())
    })
  }

  return { serves: isProxied, handle: (call) => (isProxied(call.info) ? serve(call) : undefined) }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: ReturnType<typeof forwardedRequest>
  readonly body: NodeJS.ReadableStream | undefined
  /** Undefined: the request opens one. */
  readonly socket: Socket | undefined
  readonly signal: AbortSignal
}

/** Sends a request on a connection of its own. Certificates of pods are not verified. */
function send(
  scheme: ProxyName['scheme'],
  { host, port }: HostPort,
  { method, path, headers, body, socket, signal }: Sent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const connection =
      socket === undefined
        ? { agent: false }
        : { createConnection: () => (scheme === 'https' ? connectTls({ socket, rejectUnauthorized: false }) : socket) }
    const options = { host, port, method, path, signal, setHost: false, ...connection }
    const request =
      scheme === 'https'
        ? process.getBuiltinModule('node:https').request({ ...options, rejectUnauthorized: false })
        : process.getBuiltinModule('node:http').request(options)
    request.setHeader('host', `${host}:${port}`)
    for (const [name, value] of headers) request.appendHeader(name, value)
    // Node does not frame the body of a GET or DELETE, which would become another request.
    if (body !== undefined && !request.hasHeader('content-length')) request.setHeader('transfer-encoding', 'chunked')
    request.on('error', reject)
    request.once('response', resolve)
    if (body === undefined) request.end()
    else body.pipe(request)
  })
}

/** Path and query for the pod, encoded as the client sent them. @throws StatusError 404 */
function proxiedPath(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?')
  const [whole, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)]
  const path = /^\/api\/v1\/namespaces\/[^/]+\/[^/]+\/[^/]+\/proxy(\/.*)?$/.exec(whole)
  if (path === null) throw pathNotFound()
  return { path: path[1] ?? '', query }
}
