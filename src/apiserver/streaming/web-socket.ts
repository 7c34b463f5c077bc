import type { WebSocket } from 'ws'
import { badRequest, type Status, StatusError } from '#apimachinery/errors.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade/upgrade-handler.ts'

/** Bytes of one message that a client may send. */
const maximumMessage = 1024 * 1024
/** A client that vanished while we wait for it, or it for us, is noticed by writing to it. */
const heartbeatMs = 15_000
const goodbyeMs = 5_000

/** Whether the request wants a WebSocket. */
export function wantsWebSocket(call: UpgradeCall): boolean {
  return String(call.headers['upgrade']).toLowerCase() === 'websocket'
}

/**
 * The first sub-protocol that the client offers and the server knows; the empty one when it offers
 * none. @throws StatusError 403
 */
export function chooseProtocol(offered: readonly string[], known: readonly string[], fallback: string | undefined): string {
  const chosen = offered.length === 0 ? fallback : offered.find((protocol) => known.includes(protocol))
  if (chosen !== undefined) return chosen
  const message = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${known.join(' ')}]`
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'Forbidden', code: 403 }
  throw new StatusError(status)
}

/** What is listed in a header, which may have been sent several times. */
export function listedIn(header: string | readonly string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

/**
 * Completes the handshake. The socket is kept alive, and cut when the server stops. @throws
 * StatusError 400
 */
export async function acceptWebSocket(call: UpgradeCall, protocol: string): Promise<WebSocket> {
  if (call.method !== 'GET') throw badRequest('a WebSocket is opened by GET')
  // Loaded at first use: most servers are never asked.
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maximumMessage,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const { request, socket, head, signal } = call
  const offered = request.headers['sec-websocket-protocol'] !== undefined
  // The library refuses names with a slash, as the RFC does, and Kubernetes has one: so we choose,
  // and tell the client ourselves.
  delete request.headers['sec-websocket-protocol']
  server.on('headers', (lines) => void (offered && lines.push(`Sec-WebSocket-Protocol: ${protocol}`)))
  const webSocket = await new Promise<WebSocket>((resolve, reject) => {
    server.once('wsClientError', (error) => reject(badRequest(error.message)))
    // The library says nothing at all about a client that has gone already.
    socket.once('close', () => reject(badRequest('the client has gone')))
    server.handleUpgrade(request, socket, head, resolve)
  })
  webSocket.on('error', () => webSocket.terminate())
  const beat = setInterval(() => webSocket.ping(), heartbeatMs)
  beat.unref()
  const cut = (): void => webSocket.terminate()
  signal.addEventListener('abort', cut, { once: true })
  webSocket.once('close', () => {
    clearInterval(beat)
    signal.removeEventListener('abort', cut)
  })
  return webSocket
}

/** Settles when the connection has ended. */
export function closedWebSocket(webSocket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState === webSocket.CLOSED) resolve()
    else webSocket.once('close', () => resolve())
  })
}

/** Says goodbye in order; a client that does not answer is cut off. */
export async function closeWebSocket(webSocket: WebSocket): Promise<void> {
  const closed = closedWebSocket(webSocket)
  const impatience = setTimeout(() => webSocket.terminate(), goodbyeMs)
  webSocket.close(1000)
  await closed
  clearTimeout(impatience)
}
