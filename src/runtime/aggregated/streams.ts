import type { IncomingMessage } from 'node:http'
import { pipeline, type Duplex } from 'node:stream'
import { methodNotAllowed } from '#apimachinery/errors.ts'
import { assertAccess } from './access.ts'
import { accessOf, admitted, failure, queryOf, subjectOf, type AggregatedApiOptions } from './aggregated-api.ts'
import { verbs, type Method, type StreamRequest, type UpgradedStream } from './aggregated-group.ts'

/** Answers a request to upgrade its connection; never rejects. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>

/** Milliseconds in which the second half of a connection has to close. */
const farewellMs = 10_000

/**
 * Serves the streams of a group behind an APIService. A request is authenticated and authorized as
 * any other; its handler connects the backend, with which the bytes of the client are exchanged.
 * Every refusal is an answer with a status, before the upgrade.
 */
export function createAggregatedStreams(options: AggregatedApiOptions): UpgradeHandler {
  return async (request, socket, head) => {
    const start = performance.now()
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    socket.on('error', () => gone.abort())
    const observe = (code: number): void => options.observe?.({ ...subjectOf(options.group, request), code, ms: performance.now() - start })
    try {
      const stream = await connect(options, request, gone.signal)
      if (gone.signal.aborted) return void stream.socket.destroy()
      observe(101)
      splice({ socket, head }, stream)
    } catch (error) {
      if (gone.signal.aborted) return
      const { code, body = {} } = failure(options.log, request, error)
      observe(code)
      const text = JSON.stringify(body)
      socket.end(
        headOf(code, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), connection: 'close' }) + text,
      )
    }
  }
}

async function connect(options: AggregatedApiOptions, request: IncomingMessage, signal: AbortSignal): Promise<UpgradedStream> {
  const { group } = options
  const { caller, route } = admitted(options, request)
  const plural = route.kind === 'resource' ? route.resource.resource : ''
  const { method = '' } = request
  if (route.kind !== 'resource' || !Object.hasOwn(verbs, method)) throw methodNotAllowed({ group: group.group, plural }, method)
  const verb = verbs[method as Method]
  await assertAccess(options.client, caller, accessOf(group, route, verb), signal)
  const { resource, namespace, name, tail } = route
  if (method === 'GET' && resource.stream !== undefined)
    return resource.stream({ caller, namespace, name, tail, query: queryOf(request), upgradeHeaders: upgradeHeadersOf(request), signal })
  const handler = resource.handlers[method as Method]
  // A subresource that is not served yet says what to do instead.
  if (handler !== undefined && resource.stream === undefined)
    await handler({ caller, namespace, name, body: '', query: queryOf(request), signal })
  throw methodNotAllowed({ group: group.group, plural }, verb)
}

/** Fields of RFC 6455 that make up the handshake. */
function upgradeHeadersOf({ headers }: IncomingMessage): StreamRequest['upgradeHeaders'] {
  const names = Object.keys(headers).filter((name) => name.startsWith('sec-websocket-'))
  return Object.fromEntries([...names, 'upgrade'].map((name) => [name, String(headers[name] ?? '')]))
}

function headOf(code: number, headers: Readonly<Record<string, string>>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${code} ${code === 101 ? 'Switching Protocols' : 'Refused'}\r\n${fields.join('')}\r\n`
}

/** Copies bytes in both directions. When one side ends, the other may finish for a while. */
function splice(client: { readonly socket: Duplex; readonly head: Buffer }, backend: UpgradedStream): void {
  const sockets = [client.socket, backend.socket]
  client.socket.write(headOf(101, { ...backend.headers, connection: 'Upgrade' }))
  if (backend.head.length > 0) client.socket.write(backend.head)
  if (client.head.length > 0) backend.socket.write(client.head)
  const ended = (): void => {
    const cut = setTimeout(() => sockets.forEach((socket) => socket.destroy()), farewellMs)
    cut.unref()
  }
  for (const socket of sockets) socket.setMaxListeners(32)
  pipeline(client.socket, backend.socket, ended)
  pipeline(backend.socket, client.socket, ended)
}
