import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { WebSocketServer } from 'ws'
import { badRequest, forbidden, internalError, notFound, pathNotFound, StatusError } from '#apimachinery/errors.ts'
import type { ServingSource } from '#features/certificates/index.ts'
import {
  apiClientName,
  freezeLimitParameter,
  parseAccessPath,
  plainProtocol,
  type GuestAccess,
  type GuestQuery,
  type GuestStream,
} from '#features/guest-access/index.ts'
import { refuseUpgrade } from '#runtime/aggregated/streams.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { NetworkDialer } from '#runtime/network/network-dialer.ts'
import { aborted } from '#runtime/clock/abort.ts'
import type { Guest } from '../guest/guest.ts'
import type { GuestRegistry } from '../guest/guest-registry.ts'
import { guestSockets, usbRedirectorSockets } from '../domain/domain.ts'
import { askAgent } from '../guest-agent/ask-agent.ts'
import { queryFileSystems, queryGuestInfo, queryUsers } from '../guest-agent/answers.ts'
import type { UsageReader } from '../guest-metrics/guest-usage.ts'
import { connectPort, endWithGuest } from './port-forward.ts'
import type { Freezer } from '../guest-agent/freeze.ts'
import { softReboot } from './soft-reboot.ts'
import { takeScreenshot } from './screenshot.ts'
import { connectStream } from './stream.ts'
import { StreamSessions } from './stream-sessions.ts'

/** Where and with which certificate a node agent serves the streams of its guests. */
export interface AccessSettings {
  readonly address: string
  readonly port: number
  /** Certificate of the node agents, and the authorities of their clients. */
  readonly certificates: ServingSource
}

/** Dependencies of {@link createAccessServer}. */
export interface AccessServerOptions extends AccessSettings {
  readonly guests: Pick<GuestRegistry, 'forVmi'>
  /** Returns a guest's address, at which this process reaches it. */
  readonly addressOf: (guest: Guest) => string | undefined
  /** Opens connections to these addresses. */
  readonly dialer: NetworkDialer
  readonly freezer: Pick<Freezer, 'freeze' | 'thaw'>
  /** Reads what a guest has used. @throws StatusError */
  readonly usageOf: UsageReader
  readonly log: Logger
}

/** Bytes of a client's message. */
const maxMessageBytes = 1 << 20
const subject = { group: 'kubevirt.io', plural: 'virtualmachineinstances' } as const

/**
 * Serves console, display, USB redirectors and reset of the node's guests to virt-api, over
 * WebSockets and mutual TLS. Listens once the installation has issued a certificate, and follows
 * its renewal.
 */
export function createAccessServer(options: AccessServerOptions): Runnable {
  return { run: (signal) => runAccessServer(options, signal) }
}

async function runAccessServer(options: AccessServerOptions, signal: AbortSignal): Promise<void> {
  const { certificates, log, address, port } = options
  const [{ createServer }, ws] = await Promise.all([import('node:https'), import('ws')])
  const sessions = new StreamSessions()
  const sockets = new ws.WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => (offered.has(plainProtocol) ? plainProtocol : false),
  })
  let server: Server | undefined
  const apply = (): void => {
    const current = certificates.current()
    if (current === undefined || signal.aborted) return
    const tls = { cert: current.certificate, key: current.key, ca: current.bundle }
    if (server !== undefined) return server.setSecureContext(tls)
    server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (request, response) => {
      answer(options, request).then(
        ({ type, bytes }) => response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes),
        (error: unknown) => {
          const { code, text } = refusalOf(log, error)
          response.writeHead(code, { 'content-type': 'application/json' }).end(text)
        },
      )
    })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => {})
      serve(options, { sockets, sessions }, { request, socket, head }).catch((error: unknown) => refuse(log, socket, error))
    })
    server.on('error', (error) => log.error({ error }, 'The server for consoles failed'))
    server.listen(port, address)
  }
  certificates.onChange(apply)
  apply()
  await aborted(signal)
  sessions.closeAll('the node agent ends')
  server?.close()
  server?.closeAllConnections()
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

interface Answer {
  readonly type: string
  readonly bytes: Buffer
}

/** Answers what is no stream. @throws StatusError */
async function answer({ guests, freezer, usageOf }: AccessServerOptions, request: IncomingMessage): Promise<Answer> {
  const { access, query } = accessOf(request)
  switch (`${request.method} ${access.subresource}`) {
    case 'GET vnc/screenshot': {
      const options = { moveCursor: query.get('moveCursor') === 'true' }
      return { type: 'image/png', bytes: await takeScreenshot(await findRunning(guests, access), options) }
    }
    case 'PUT reset':
      await (await findRunning(guests, access)).reset()
      return nothing
    case 'PUT softreboot':
      await softReboot(await findRunning(guests, access))
      return nothing
    case 'PUT freeze':
      await freezer.freeze(await findRunning(guests, access), Number(query.get(freezeLimitParameter)))
      return nothing
    case 'PUT unfreeze':
      await freezer.thaw(await findRunning(guests, access))
      return nothing
    case 'GET usage':
      return json(await usageOf(await findRunning(guests, access), access))
    case 'GET guestosinfo':
      return json(await askAgent(await findRunning(guests, access), queryGuestInfo))
    case 'GET userlist':
      return json(await askAgent(await findRunning(guests, access), queryUsers))
    case 'GET filesystemlist':
      return json(await askAgent(await findRunning(guests, access), queryFileSystems))
    default:
      throw pathNotFound()
  }
}

const nothing: Answer = { type: 'text/plain', bytes: Buffer.alloc(0) }

function json(body: object): Answer {
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) }
}

async function serve(
  { guests, addressOf, dialer }: AccessServerOptions,
  { sockets, sessions }: { readonly sockets: WebSocketServer; readonly sessions: StreamSessions },
  { request, socket, head }: Upgrade,
): Promise<void> {
  const { access, query } = accessOf(request)
  const { subresource } = access
  if (!isStream(subresource)) throw pathNotFound()
  const guest = await findRunning(guests, access)
  const { key, slot } = findSlot(guest, subresource, sessions)
  if (query.get('preserveSession') === 'true' && sessions.has(key)) throw serviceUnavailable('Active VNC connection. Request denied.')
  // An earlier session ends first: the console of QEMU serves one client.
  const session = await sessions.begin(key)
  try {
    const stream = await connectGuest(guest, subresource, { address: addressOf(guest), dialer, query, slot })
    if (subresource === 'portforward') endWithGuest(stream, guest.gone)
    // A client that leaves, or whose handshake is refused, never gets a WebSocket.
    const leave = (): void => {
      stream.destroy()
      session.end()
    }
    socket.once('close', leave)
    if (socket.destroyed) return leave()
    sockets.handleUpgrade(request, socket, head, (client) => session.run(client, stream, { mayDrop: subresource === 'console' }))
  } catch (error) {
    session.end()
    throw error
  }
}

const streams: readonly string[] = ['console', 'vnc', 'usbredir', 'portforward'] satisfies GuestStream[]

function isStream(subresource: GuestStream | GuestQuery): subresource is GuestStream {
  return streams.includes(subresource)
}

/**
 * Returns the key of a new session, and the USB redirector that it uses. Of ports there may be as
 * many sessions as clients want, and one of each USB redirector. @throws StatusError 503
 */
function findSlot(
  { podUid, paths }: Guest,
  stream: GuestStream,
  sessions: StreamSessions,
): { readonly key: string; readonly slot: string | undefined } {
  if (stream === 'portforward') return { key: `${podUid}/${randomUUID()}`, slot: undefined }
  if (stream !== 'usbredir') return { key: `${podUid}/${stream}`, slot: undefined }
  const slot = usbRedirectorSockets(paths.runDirectory).find((path) => !sessions.has(path))
  if (slot === undefined) throw serviceUnavailable('All USB devices are in use.')
  return { key: slot, slot }
}

interface Connection {
  readonly address: string | undefined
  readonly dialer: NetworkDialer
  readonly query: URLSearchParams
  /** Socket of the USB redirector. */
  readonly slot: string | undefined
}

async function connectGuest({ paths }: Guest, stream: GuestStream, { address, dialer, query, slot = '' }: Connection): Promise<Duplex> {
  const { serial, vnc } = guestSockets(paths.runDirectory)
  switch (stream) {
    case 'console':
      return connectStream(serial)
    case 'vnc':
      return connectStream(vnc)
    case 'usbredir':
      return connectStream(slot)
    case 'portforward':
      if (address === undefined) throw badRequest('the guest has no address')
      return connectPort({ address, port: query.get('port') ?? '', protocol: query.get('protocol') ?? '' }, dialer)
  }
}

/** Reads what virt-api requests. @throws StatusError 403 for any other caller, 404 */
function accessOf(request: IncomingMessage): { readonly access: GuestAccess; readonly query: URLSearchParams } {
  // The CA also signs certificates of other components.
  const peer = (request.socket as TLSSocket).getPeerX509Certificate()?.toLegacyObject().subject.CN?.toString()
  if (peer !== apiClientName) throw forbidden(subject, '', `the certificate of "${peer ?? ''}" is none of virt-api`)
  const url = new URL(request.url ?? '', 'https://agent')
  const access = parseAccessPath(url.pathname)
  if (access === undefined) throw pathNotFound()
  return { access, query: url.searchParams }
}

/** Returns the guest whose QEMU runs on this node. @throws StatusError 404 */
async function findRunning(
  guests: Pick<GuestRegistry, 'forVmi'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Guest> {
  for (const guest of guests.forVmi({ namespace, name })) {
    if ((await guest.record()) !== undefined && (await guest.inspect()).kind === 'running') return guest
  }
  throw notFound(subject, name)
}

function serviceUnavailable(message: string): StatusError {
  return new StatusError({ ...internalError(message).status, reason: 'ServiceUnavailable', message, code: 503 })
}

function refuse(log: Logger, socket: Duplex, error: unknown): void {
  const { code, text } = refusalOf(log, error)
  refuseUpgrade(socket, code, text)
}

function refusalOf(log: Logger, error: unknown): { readonly code: number; readonly text: string } {
  if (!(error instanceof StatusError)) log.warn({ err: error }, 'A guest could not be reached')
  const { status } = error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error))
  return { code: status.code ?? 500, text: JSON.stringify(status) }
}
