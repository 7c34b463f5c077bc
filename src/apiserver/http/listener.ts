import type { IncomingMessage } from 'node:http'
import { performServerHandshake, type ServerHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer, type SecureContextOptions, type TLSSocket } from 'node:tls'
import type { Exchange, Peer } from './exchange.ts'
import { type PeerAuthorities, readAuthorities, trustIn } from './peer-trust.ts'
import { http1Exchange } from './http1-exchange.ts'
import { Http2Exchange } from './http2-exchange.ts'
import type { UpgradeHandler } from './upgrade-listener.ts'

// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

/** The port is in use. */
export class AddressInUse extends Error {
  override readonly name = 'AddressInUse'
  readonly host: string
  readonly port: number
  constructor(host: string, port: number, options?: ErrorOptions) {
    super(`Address ${host}:${port} is in use by another process: stop it, or choose another port`, options)
    this.host = host
    this.port = port
  }
}

/** Certificates of the server, PEM. */
export interface ServerTls {
  readonly key: string
  readonly cert: string
  /** CAs of clients. */
  readonly clientCa: string
  /** CAs of front proxies (`X-Remote-User`). Default: none. */
  readonly proxyCa?: string
}

/** Options of {@link listen}. */
export interface ListenOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly tls: ServerTls
  /** Answers one request. Must not throw. */
  readonly handle: (exchange: Exchange) => void
  /** Takes over HTTP/1.1 connections for WebSocket and SPDY. */
  readonly upgrades: UpgradeHandler
  /**
   * Milliseconds for the head of a request, the first one included; silent connections would occupy
   * descriptors. Default: a minute.
   */
  readonly headMs?: number
}

/** An open port. */
export interface Listener {
  readonly port: number
  /** Uses other certificates for new connections. */
  reloadTls(tls: ServerTls): void
  /** Stops accepting connections, lets requests finish, and closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** Unacknowledged bytes that a client may upload per stream and per connection. */
const streamWindowBytes = 1024 * 1024
const sessionWindowBytes = 8 * 1024 * 1024
const defaultHeadMs = 60_000

function peerOf(socket: TLSSocket, authorities: PeerAuthorities | undefined): Peer {
  const address = `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`
  // An empty object without a certificate, despite the type.
  const certificate: Partial<ReturnType<TLSSocket['getPeerCertificate']>> = socket.getPeerCertificate()
  const subject = certificate.subject as { CN?: string | string[]; O?: string | string[] } | undefined
  if (subject === undefined) return { address, certificate: undefined }
  const commonName = [subject.CN ?? ''].flat()[0] ?? ''
  const organizations = [subject.O ?? []].flat()
  const sha256 = certificate.fingerprint256?.replaceAll(':', '').toLowerCase()
  return {
    address,
    certificate: {
      subject: { commonName, organizations },
      ...trustIn(socket, authorities),
      ...(sha256 === undefined ? {} : { sha256 }),
    },
  }
}

function startSession(socket: TLSSocket, peer: Peer, handle: ListenOptions['handle'], headMs: number): ServerHttp2Session {
  const session = performServerHandshake(socket, {
    settings: { maxConcurrentStreams: 1000, initialWindowSize: streamWindowBytes, enablePush: false },
    // MB. The default of 10 refuses requests on a connection whose watches are behind.
    maxSessionMemory: 512,
    // A client may cancel many watches at once.
    streamResetBurst: 20_000,
    streamResetRate: 2_000,
  })
  session.setLocalWindowSize(sessionWindowBytes)
  session.on('error', () => socket.destroy())
  const impatience = setTimeout(() => session.destroy(), headMs).unref()
  for (const event of ['stream', 'close']) session.once(event, () => clearTimeout(impatience))
  session.on('stream', (stream, headers, _flags, raw) => handle(new Http2Exchange(stream, headers, raw, peer)))
  return session
}

function authoritiesOf({ clientCa, proxyCa }: ServerTls): PeerAuthorities | undefined {
  return proxyCa === undefined ? undefined : readAuthorities(clientCa, proxyCa)
}

function contextOf({ key, cert, clientCa, proxyCa }: ServerTls): SecureContextOptions {
  return { key, cert, ca: [clientCa, ...(proxyCa === undefined ? [] : [proxyCa])], minVersion: 'TLSv1.2' }
}

/** Serves HTTP/2 and HTTP/1.1 over TLS on one port. @throws AddressInUse */
export async function listen(options: ListenOptions): Promise<Listener> {
  const peers = new WeakMap<object, Peer>()
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<TLSSocket>()
  const unknownPeer: Peer = { address: '', certificate: undefined }
  const { headMs = defaultHeadMs } = options

  const http1 = createHttpServer(
    {
      keepAliveTimeout: 120_000,
      requestTimeout: 0,
      headersTimeout: headMs,
      connectionsCheckingInterval: Math.ceil(headMs / 2),
      // A request for an upgrade that is not served is answered as a regular one.
      shouldUpgradeCallback: (request: IncomingMessage) => options.upgrades.accepts(request),
    },
    (request, response) => options.handle(http1Exchange(request, response, peers.get(request.socket) ?? unknownPeer)),
  )
  // This server has no port of its own; the event starts its connection timeouts.
  http1.emit('listening')
  http1.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    options.upgrades.handle(request, socket, head, peers.get(socket) ?? unknownPeer)
  })

  let authorities = authoritiesOf(options.tls)
  const server = createTlsServer({
    ...contextOf(options.tls),
    requestCert: true,
    // Client certificates are optional, and authentication verifies them.
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const peer = peerOf(socket, authorities)
    peers.set(socket, peer)
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    if (socket.alpnProtocol !== 'h2') return void http1.emit('connection', socket)
    const session = startSession(socket, peer, options.handle, headMs)
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  // Failed handshakes come from port scanners and clients with a wrong CA.
  server.on('tlsClientError', (_error, socket) => socket.destroy())

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new AddressInUse(options.host, options.port, { cause: error }) : error),
    )
    // The default backlog of 511 is too small for thousands of clients that connect at once.
    server.listen({ host: options.host, port: options.port, backlog: 4096 }, resolve)
  })

  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    reloadTls(tls) {
      authorities = authoritiesOf(tls)
      server.setSecureContext(contextOf(tls))
    },
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.close()
      http1.close()
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}
