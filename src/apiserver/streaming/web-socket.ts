import type { WebSocket } from 'ws'
import { badRequest, type Status, StatusError } from '#apimachinery/errors.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade/upgrade-handler.ts'

/** Limit of a message in bytes. */
const maximumMessage = 1024 * 1024
/** Interval of pings, which detect vanished clients. */
const heartbeatMs = 15_000
const goodbyeMs = 5_000

/** Reports whether the request asks for a WebSocket. */
export function wantsWebSocket(call: UpgradeCall): boolean {
  return String(call.headers['upgrade']).toLowerCase() === 'websocket'
}

/**
 * Returns the first offered sub-protocol that the server supports; empty without an offer. @throws
 * StatusError 403
 */
export function chooseProtocol(offered: readonly string[], known: readonly string[], fallback: string | undefined): string {
  const chosen = offered.length === 0 ? fallback : offered.find((protocol) => known.includes(protocol))
  if (chosen !== undefined) return chosen
  const message = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${known.join(' ')}]`
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'Forbidden', code: 403 }
  throw new StatusError(status)
}

/** Splits a list header, which may be repeated. */
export function listedIn(header: string | readonly string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

/**
 * Completes the handshake. Sends pings, and closes the socket at shutdown. @throws StatusError 400
 */
export async function acceptWebSocket(call: UpgradeCall, protocol: string): Promise<WebSocket> {
  if (call.method !== 'GET') throw badRequest('a WebSocket is opened by GET')
  // Imported on first use.
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maximumMessage,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const { request, socket, head, signal } = call
  const offered = request.headers['sec-websocket-protocol'] !== undefined
  // The library refuses names with a slash, as the RFC does, but Kubernetes uses them, so the
  // answer is written here.
  delete request.headers['sec-websocket-protocol']
  server.on('headers', (lines) => void (offered && lines.push(`Sec-WebSocket-Protocol: ${protocol}`)))
  const webSocket = await new Promise<WebSocket>((resolve, reject) => {
    server.once('wsClientError', (error) => reject(badRequest(error.message)))
    // The library reports nothing for a client that has already disconnected.
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

/** Settles at the end of the connection. */
export function closedWebSocket(webSocket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState === webSocket.CLOSED) resolve()
    else webSocket.once('close', () => resolve())
  })
}

/** Closes with a handshake, and terminates a client that does not answer. */
export async function closeWebSocket(webSocket: WebSocket): Promise<void> {
  const closed = closedWebSocket(webSocket)
  const impatience = setTimeout(() => webSocket.terminate(), goodbyeMs)
  webSocket.close(1000)
  await closed
  clearTimeout(impatience)
}
