import { once } from 'node:events'
import { createSecureServer, type ServerHttp2Stream, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { WebSocketServer } from 'ws'
import type { TestCertificate } from '#apiserver/http/tls.fixture.ts'

/** A received request. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Values of `X-Remote-Group`, one per header field. */
  readonly groups: readonly string[]
  readonly httpVersion: string
  /** Common name of a client certificate of the front proxy CA, if any. */
  readonly client: string | undefined
  body: string
}

/** A small extension API server: group `example.test`, version `v1`, resource `flunders`. */
export interface ExtensionServer extends AsyncDisposable {
  readonly port: number
  readonly received: ReceivedRequest[]
  /** Sends an event to every watch. */
  emit(event: object): void
  /** Number of running watches. */
  readonly watches: number
  /** Bytes of `…/flood` that were written. */
  readonly flooded: number
  /** Resolves when nothing more is read of them. */
  floodStopped(): Promise<void>
  /** Listed objects. Deletion leaves those with finalizers. */
  flunders: object[]
  /** Status code of `/apis/example.test/v1`. */
  status: number
}

/** Size of `…/flood`. */
export const floodBytes = 64 * 1024 * 1024

type Request = IncomingMessage | Http2ServerRequest

const flunder = { apiVersion: 'example.test/v1', kind: 'Flunder', metadata: { name: 'one', namespace: 'dev', uid: 'u-1' } }
const resources = [
  {
    name: 'flunders',
    singularName: 'flunder',
    namespaced: true,
    kind: 'Flunder',
    verbs: ['create', 'deletecollection', 'get', 'list', 'watch'],
    shortNames: ['fl'],
  },
  { name: 'flunders/talk', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
]
const schemas = {
  'test.example.v1.Flunder': {
    type: 'object',
    description: 'A flunder.',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, size: { type: 'integer', description: 'How large.' } },
    'x-kubernetes-group-version-kind': [{ group: 'example.test', version: 'v1', kind: 'Flunder' }],
  },
}
const flunderKind = { group: 'example.test', version: 'v1', kind: 'Flunder' }
const paths = {
  '/apis/example.test/v1/namespaces/{namespace}/flunders': {
    get: { 'x-kubernetes-action': 'list', 'x-kubernetes-group-version-kind': flunderKind, responses: { '200': { description: 'OK' } } },
  },
}
const aggregated = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: 'example.test' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'flunders',
              responseKind: { group: 'example.test', version: 'v1', kind: 'Flunder' },
              scope: 'Namespaced',
              singularResource: 'flunder',
              verbs: ['create', 'deletecollection', 'get', 'list', 'watch'],
              shortNames: ['fl'],
              subresources: [
                { subresource: 'talk', responseKind: { group: 'example.test', version: 'v1', kind: 'Flunder' }, verbs: ['get'] },
              ],
            },
          ],
        },
      ],
    },
  ],
}

/** `http2: false` and `aggregated: false` emulate an old server. */
export async function startExtensionServer(options: {
  readonly certificate: TestCertificate
  /** CA of front proxies. */
  readonly requestHeaderCa: string
  readonly port?: number
  readonly http2?: boolean
  readonly aggregated?: boolean
}): Promise<ExtensionServer> {
  const received: ReceivedRequest[] = []
  const watches = new Set<ServerResponse>()
  const sockets = new Set<Duplex>()
  const state: { status: number; flooded: number; flunders: object[] } = { status: 200, flooded: 0, flunders: [flunder] }

  const note = (request: Request): ReceivedRequest => {
    const socket = request.socket as TLSSocket
    const subject = socket.authorized ? (socket.getPeerCertificate().subject as { CN?: string } | undefined) : undefined
    const entry: ReceivedRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: { ...request.headers },
      groups: request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === 'x-remote-group'),
      httpVersion: request.httpVersion,
      client: subject?.CN,
      body: '',
    }
    received.push(entry)
    return entry
  }
  const answer = async (request: Request, response: ServerResponse): Promise<void> => {
    const entry = note(request)
    const url = new URL(entry.url, 'https://x')
    const json = (status: number, value: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-backend': 'yes', ...headers })
      response.end(`${JSON.stringify(value)}\n`)
    }
    if (url.pathname === '/apis') {
      const wanted = String(entry.headers['accept'] ?? '').includes('APIGroupDiscoveryList') && options.aggregated !== false
      if (wanted && entry.headers['if-none-match'] === '"1"') return void response.writeHead(304, { etag: '"1"' }).end()
      const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
      return wanted
        ? json(200, aggregated, { 'content-type': type, etag: '"1"' })
        : json(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: [] })
    }
    if (url.pathname === '/apis/example.test/v1')
      return json(state.status, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'example.test/v1', resources })
    if (url.pathname === '/openapi/v2') return json(200, { swagger: '2.0', definitions: schemas })
    if (url.pathname === '/openapi/v3')
      return json(200, { paths: { 'apis/example.test/v1': { serverRelativeURL: '/openapi/v3/apis/example.test/v1?hash=AB' } } })
    if (url.pathname === '/openapi/v3/apis/example.test/v1')
      return json(200, { openapi: '3.0.0', info: { title: 'extension' }, paths, components: { schemas } })
    if (url.pathname.endsWith('/redirect')) return json(302, {}, { location: 'https://elsewhere.test/' })
    if (url.pathname.endsWith('/silence')) return
    if (url.pathname.endsWith('/half')) {
      response.writeHead(200)
      response.write('half')
      return void setImmediate(() => (response as unknown as { stream?: ServerHttp2Stream }).stream?.close(2) ?? response.destroy())
    }
    if (url.pathname.endsWith('/flood')) {
      response.writeHead(200)
      const piece = Buffer.alloc(64 * 1024)
      for (state.flooded = 0; state.flooded < floodBytes; state.flooded += piece.length) {
        if (response.write(piece)) continue
        await once(response, 'drain')
      }
      return void response.end()
    }
    if (url.pathname.endsWith('/nothing')) return void response.writeHead(204).end()
    if (url.pathname.endsWith('/refuse')) return json(403, { kind: 'Status', reason: 'Forbidden' })
    if (url.pathname.endsWith('/echo') || request.method === 'POST') {
      response.writeHead(201, { 'content-type': 'application/octet-stream' })
      for await (const chunk of request as AsyncIterable<Buffer>) {
        entry.body += chunk.toString()
        response.write(chunk)
      }
      return void response.end()
    }
    if (url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1') {
      response.writeHead(200, { 'content-type': 'application/json' })
      watches.add(response)
      response.once('close', () => watches.delete(response))
      return void response.write(`${JSON.stringify({ type: 'ADDED', object: flunder })}\n`)
    }
    if (url.pathname.endsWith('/flunders') && request.method === 'DELETE') {
      state.flunders = state.flunders.filter((object) => JSON.stringify(object).includes('finalizers'))
      return json(200, { kind: 'Status', status: 'Success' })
    }
    if (url.pathname.endsWith('/flunders'))
      return json(200, { kind: 'FlunderList', apiVersion: 'example.test/v1', metadata: { resourceVersion: '7' }, items: state.flunders })
    if (url.pathname.endsWith('/flunders/one')) return json(200, flunder)
    return json(404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, message: 'no such flunder' })
  }

  const tls = { ...options.certificate, ca: options.requestHeaderCa, requestCert: true, rejectUnauthorized: false }
  const handle = (request: Request, response: ServerResponse | Http2ServerResponse): void =>
    void answer(request, response as ServerResponse).catch(() => response.destroy())
  const server = options.http2 === false ? createHttpsServer(tls, handle) : createSecureServer({ ...tls, allowHTTP1: true }, handle)
  const talks = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('plain.kubevirt.io') ? 'plain.kubevirt.io' : false),
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    note(request)
    if (request.url?.endsWith('/refuse/talk') === true) {
      return void socket.end('HTTP/1.1 409 Conflict\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\nnot now\n')
    }
    if (request.url?.endsWith('/redirect/talk') === true) {
      return void socket.end('HTTP/1.1 302 Found\r\nlocation: https://elsewhere.test/\r\ncontent-length: 0\r\n\r\n')
    }
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${request.headers.upgrade}\r\n\r\nhello`)
      return void socket.pipe(socket)
    }
    talks.handleUpgrade(request, socket, head, (talk) => {
      talk.send(`hello ${String(request.headers['x-remote-user'])}`)
      talk.on('message', (data, binary) => talk.send(data, { binary }))
    })
  })
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('sessionError', () => {})
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    get watches() {
      return watches.size
    },
    get flooded() {
      return state.flooded
    },
    async floodStopped() {
      // Buffers on the path fill up repeatedly; done when nothing moves any more.
      for (let before = -1; before !== state.flooded;) {
        before = state.flooded
        for (let turn = 0; turn < 2000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      }
    },
    get flunders() {
      return state.flunders
    },
    set flunders(value) {
      state.flunders = value
    },
    get status() {
      return state.status
    },
    set status(value) {
      state.status = value
    },
    emit(event) {
      for (const watch of watches) watch.write(`${JSON.stringify(event)}\n`)
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
