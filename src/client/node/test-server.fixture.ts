import { createSecureServer } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createTestCertificate } from './certificate.fixture.ts'

/** Answers requests of either protocol. */
export type TestHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void

/** A TLS server behind a network that can be broken. */
export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly certificate: string
  /** Sessions (HTTP/2) open now. */
  readonly sessions: ReadonlySet<ServerHttp2Session>
  /** Number of TLS connections so far. */
  readonly connections: number
  /** Cuts all connections, as a dying process or a firewall does. */
  cut(): void
  /** Drops bytes silently in both directions, like an unplugged cable. */
  freeze(): void
  thaw(): void
}

/** Starts a server that offers the given protocols. */
export async function startTestServer(handler: TestHandler, protocols: 'h2' | 'http/1.1' = 'h2'): Promise<TestServer> {
  const { certificate, key } = await createTestCertificate()
  const sessions = new Set<ServerHttp2Session>()
  const backend =
    protocols === 'h2'
      ? createSecureServer({ cert: certificate, key, maxSessionMemory: 100 }, handler)
      : createHttpsServer({ cert: certificate, key, ALPNProtocols: ['http/1.1'] }, (request, response) =>
          handler(request as never, response as never),
        )
  backend.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => sessions.delete(session))
  })
  await listen(backend)
  const proxy = await startProxy((backend.address() as AddressInfo).port)
  return {
    url: `https://127.0.0.1:${proxy.port}`,
    certificate,
    sessions,
    get connections() {
      return proxy.accepted
    },
    cut: () => proxy.cut(),
    freeze: () => proxy.freeze(true),
    thaw: () => proxy.freeze(false),
    async [Symbol.asyncDispose]() {
      proxy.cut()
      await Promise.all([close(proxy.server), close(backend)])
    },
  }
}

/** A piece of network between a client and a port of this machine. */
export interface Proxy {
  readonly server: Server
  readonly port: number
  /** Connections so far. */
  readonly accepted: number
  cut(): void
  freeze(frozen: boolean): void
  /** Leads new connections elsewhere. */
  retarget(port: number): void
}

/** Starts to pass bytes on. */
export async function startProxy(first: number): Promise<Proxy> {
  let target = first
  const sockets = new Set<Socket>()
  let accepted = 0
  let frozen = false
  const server = createServer((near) => {
    accepted++
    const far = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => {
        if (!frozen) to.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await listen(server)
  return {
    server,
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted
    },
    cut: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    freeze: (value) => (frozen = value),
    retarget: (port) => (target = port),
  }
}

function listen(server: { listen(port: number, host: string, done: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

function close(server: { close(done: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
