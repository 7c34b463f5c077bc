import type { Duplex } from 'node:stream'
import { badRequest } from '#apimachinery/errors.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade/upgrade-handler.ts'

/** Header that negotiates the protocol over SPDY. */
export const protocolVersionHeader = 'x-stream-protocol-version'

/** Reports whether the request asks for SPDY. */
export function wantsSpdy(call: UpgradeCall): boolean {
  return String(call.headers['upgrade']).toLowerCase() === 'spdy/3.1'
}

/**
 * Answers the upgrade; the connection then carries frames. @throws StatusError 400 when the client
 * has disconnected
 */
export function acceptSpdy({ socket, head, signal }: UpgradeCall, protocol: string): Duplex {
  if (!socket.writable) throw badRequest('the client has gone')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${protocolVersionHeader}: ${protocol}\r\n\r\n`,
  )
  if (head.length > 0) socket.unshift(head)
  const cut = (): void => void socket.destroy()
  signal.addEventListener('abort', cut, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', cut))
  return socket
}
