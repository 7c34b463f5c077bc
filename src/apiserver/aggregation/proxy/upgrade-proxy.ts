import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type Duplex, pipeline } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { headBytes, statusLine } from '#apiserver/http/http1-head.ts'
import type { UpgradeCall, UpgradeRoute } from '#apiserver/front/upgrade/upgrade-handler.ts'
import type { EndpointFinder } from '#apiserver/services/endpoint-finder.ts'
import type { ApiServices, RemoteApi } from '../api-services/api-services.ts'
import { type HeaderList, headerList, serverNameOf } from '../backend/backend.ts'
import type { BackendPool } from '../backend/backend-pool.ts'
import { assertCanonicalPath } from './canonical-path.ts'
import { forwardedAnswer, forwardedRequest } from '../backend/forwarded-headers.ts'
import { isRedirect, pickAddress, redirectRefused } from './proxy.ts'

/** Options of {@link createUpgradeProxy}. */
export interface UpgradeProxyOptions {
  readonly services: ApiServices
  readonly pool: BackendPool
  readonly find: EndpointFinder
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Called when a server could not be reached. */
  readonly onUnreachable: (api: RemoteApi) => void
}

/** Time-out for the backend's answer, and for the second half of a closing connection. */
const handshakeMs = 60_000
const farewellMs = 10_000

/** Forwards upgrades of remote group versions as raw bytes. */
export function createUpgradeProxy({ services, pool, find, random, onUnreachable }: UpgradeProxyOptions): UpgradeRoute {
  const remoteFor = (info: UpgradeCall['info']): RemoteApi | undefined => {
    if (info.kind === 'resource') return services.remote(info.group, info.version)
    const [, prefix, group = '', version = ''] = info.path.split('/')
    return prefix === 'apis' ? services.remote(group, version) : undefined
  }

  return {
    matches: (info) => remoteFor(info) !== undefined,
    async handle(call) {
      assertCanonicalPath(call.url)
      const api = remoteFor(call.info)
      const address = api?.available === true ? pickAddress(find, api, random) : undefined
      if (api === undefined || address === undefined) return answerText(call, 503, 'service unavailable')
      const patience = AbortSignal.timeout(handshakeMs)
      let backend: TLSSocket | undefined
      try {
        backend = await pool.dial(api, address, AbortSignal.any([patience, call.signal]))
        const { response, upgraded } = await shakeHands(call, api, backend, patience)
        // The client has not waited for the answer.
        if (!call.socket.writable) return
        if (upgraded !== undefined) await splice(call, response, backend, upgraded)
        else await relayRefusal(call, response)
      } catch (error) {
        onUnreachable(api)
        answerText(call, 503, `error trying to reach service: ${error instanceof Error ? error.message : String(error)}`)
      } finally {
        backend?.destroy()
      }
    },
  }
}

interface Handshake {
  readonly response: IncomingMessage
  /** Bytes received after the 101; undefined when the backend refused. */
  readonly upgraded: Buffer | undefined
}

function shakeHands(call: UpgradeCall, api: RemoteApi, backend: TLSSocket, patience: AbortSignal): Promise<Handshake> {
  const { method, url, headers, user, auditId } = call
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ createConnection: () => backend, method, path: url, setHost: false, signal: patience })
    request.setHeader('host', `${serverNameOf(api)}:${api.service.port}`)
    for (const [name, value] of forwardedRequest(headers, user, auditId, call.address)) request.appendHeader(name, value)
    request.setHeader('connection', 'Upgrade')
    request.setHeader('upgrade', headers['upgrade'] ?? 'websocket')
    request.on('error', reject)
    request.once('upgrade', (response, _socket, head) => resolve({ response, upgraded: head }))
    request.once('response', (response) => resolve({ response, upgraded: undefined }))
    request.end()
  })
}

function writeHead(call: UpgradeCall, code: number, headers: HeaderList): void {
  call.answered(code)
  call.socket.write(headBytes(statusLine(code), headers))
}

function answerText(call: UpgradeCall, code: number, text: string): void {
  if (!call.socket.writable) return
  const body = `${text}\n`
  writeHead(call, code, [
    ['audit-id', call.auditId],
    ['content-type', 'text/plain; charset=utf-8'],
    ['x-content-type-options', 'nosniff'],
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ])
  call.socket.end(body)
}

function answerHeaders(call: UpgradeCall, response: IncomingMessage): HeaderList {
  return [...headerList(forwardedAnswer(headerList(response.headers))).filter(([name]) => name !== 'audit-id'), ['audit-id', call.auditId]]
}

/** Forwards the backend's refusal. */
async function relayRefusal(call: UpgradeCall, response: IncomingMessage): Promise<void> {
  const code = response.statusCode ?? 502
  const headers = headerList(response.headers)
  if (isRedirect({ status: code, headers })) return answerText(call, 502, redirectRefused)
  writeHead(call, code, [...answerHeaders(call, response), ['connection', 'close']])
  await new Promise<void>((resolve) => pipeline(response, call.socket, () => resolve()))
}

/** Copies bytes in both directions until one side ends or the server stops. */
async function splice(call: UpgradeCall, response: IncomingMessage, backend: TLSSocket, head: Buffer): Promise<void> {
  const { socket: client } = call
  writeHead(call, 101, [
    ...answerHeaders(call, response),
    ['connection', 'Upgrade'],
    ['upgrade', response.headers['upgrade'] ?? 'websocket'],
  ])
  // Two pipelines on each, and the listeners of the protocols below.
  for (const socket of [client, backend]) socket.setMaxListeners(32)
  if (head.length > 0) client.write(head)
  if (call.head.length > 0) backend.write(call.head)
  const cut = (): void => {
    client.destroy()
    backend.destroy()
  }
  call.signal.addEventListener('abort', cut, { once: true })
  try {
    if (call.signal.aborted) cut()
    await Promise.race([move(backend, client), move(client, backend)])
    // The other side may finish sending, within a limit.
    const farewell = setTimeout(cut, farewellMs)
    await Promise.all([closed(client), closed(backend)])
    clearTimeout(farewell)
  } finally {
    // The signal is the server's: what listens to it stays in memory.
    call.signal.removeEventListener('abort', cut)
  }
}

/** Copies one direction. The target ends with its source. */
function move(source: Duplex, target: Duplex): Promise<void> {
  return new Promise((resolve) => {
    // `pipeline` throws for a target that is closed.
    if (target.destroyed) return resolve()
    pipeline(source, target, () => resolve())
  })
}

function closed(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else stream.once('close', () => resolve())
  })
}
