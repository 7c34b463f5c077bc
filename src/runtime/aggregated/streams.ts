import type { IncomingMessage } from 'node:http'
import { pipeline, type Duplex } from 'node:stream'
import { pathNotFound } from '#apimachinery/errors.ts'
import { assertAccess } from './access.ts'
import { accessOf, admitted, failure, pathOf, queryOf, subjectOf, type AggregatedApiOptions } from './aggregated-api.ts'
import { verbs, type StreamHandler, type UpgradedStream } from './aggregated-group.ts'
import { routeOf, type Route } from './route.ts'

/** Serves connections that are upgraded. */
export interface UpgradeServer {
  /** Reports whether a request asks for a stream. Others are served as if they asked for none. */
  handles(request: IncomingMessage): boolean
  /** Answers a request that it handles; never rejects. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
}

/** Milliseconds in which the second half of a connection has to close. */
const farewellMs = 10_000

/**
 * Serves the streams of a group behind an APIService. A request is authenticated and authorized as
 * any other; its handler connects the backend, with which the bytes of the client are exchanged.
 * Every refusal is an answer with a status, before the upgrade.
 */
export function createAggregatedStreams(options: AggregatedApiOptions): UpgradeServer {
  return {
    handles: (request) => streamOf(routeOf(options.group, pathOf(request)), request) !== undefined,
    async upgrade(request, socket, head) {
      const start = performance.now()
      const gone = new AbortController()
      socket.once('close', () => gone.abort())
      socket.on('error', () => gone.abort())
      const observe = (code: number): void =>
        options.observe?.({ ...subjectOf(options.group, request), code, ms: performance.now() - start })
      try {
        const stream = await connect(options, request, gone.signal)
        if (gone.signal.aborted) return void stream.socket.destroy()
        observe(101)
        splice({ socket, head }, stream)
      } catch (error) {
        if (gone.signal.aborted) return
        const { code, body = {} } = failure(options.log, request, error)
        observe(code)
        refuseUpgrade(socket, code, JSON.stringify(body))
      }
    },
  }
}

function streamOf(route: Route | undefined, { method }: IncomingMessage): StreamHandler | undefined {
  return route?.kind === 'resource' && method === 'GET' ? route.resource.stream : undefined
}

async function connect(options: AggregatedApiOptions, request: IncomingMessage, signal: AbortSignal): Promise<UpgradedStream> {
  const { caller, route } = admitted(options, request)
  const stream = streamOf(route, request)
  if (route.kind !== 'resource' || stream === undefined) throw pathNotFound()
  await assertAccess(options.client, caller, accessOf(options.group, route, verbs.GET), signal)
  const { namespace, name, tail } = route
  return stream({ caller, namespace, name, tail, query: queryOf(request), upgradeHeaders: handshakeFields(request), signal })
}

/** Returns the fields of a message that make up the handshake of a WebSocket: RFC 6455. */
export function handshakeFields({ headers }: Pick<IncomingMessage, 'headers'>): Readonly<Record<string, string>> {
  const names = Object.keys(headers).filter((name) => name === 'upgrade' || name.startsWith('sec-websocket-'))
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]))
}

/** Answers a request to upgrade with a refusal in JSON, and ends the connection. */
export function refuseUpgrade(socket: Duplex, code: number, text: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), connection: 'close' }
  socket.end(headOf(code, headers) + text)
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
  // `pipeline` throws for a socket that is closed.
  if (sockets.some(({ destroyed }) => destroyed)) return sockets.forEach((socket) => void socket.destroy())
  for (const socket of sockets) socket.setMaxListeners(32)
  pipeline(client.socket, backend.socket, ended)
  pipeline(backend.socket, client.socket, ended)
}
