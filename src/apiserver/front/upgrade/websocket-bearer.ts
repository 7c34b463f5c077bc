import type { IncomingMessage } from 'node:http'
import { unauthorized } from '#apimachinery/errors.ts'

const protocolHeader = 'sec-websocket-protocol'
const prefix = 'base64url.bearer.authorization.k8s.io.'

/**
 * Converts the token that browsers send as a WebSocket sub-protocol, as they cannot set headers, to
 * an Authorization header, unless there is one. Removes it from the protocols, so that no backend
 * can see or choose it. @throws StatusError 401 for a malformed token
 */
export function takeWebSocketBearer(request: IncomingMessage): void {
  const { headers } = request
  const offered = headers[protocolHeader]
  if (offered === undefined || !offered.includes(prefix)) return
  const protocols = offered.split(',').map((protocol) => protocol.trim())
  const tokens = protocols.filter((protocol) => protocol.startsWith(prefix))
  const others = protocols.filter((protocol) => !protocol.startsWith(prefix))
  const [only] = tokens
  // Browsers require that the answer chooses one of the remaining protocols.
  if (only === undefined || tokens.length > 1 || others.length === 0) throw unauthorized()
  const token = decode(only.slice(prefix.length))
  headers[protocolHeader] = others.join(', ')
  dropRawHeader(request, others.join(', '))
  if (token !== '' && headers.authorization === undefined) headers.authorization = `Bearer ${token}`
}

function decode(text: string): string {
  if (!/^[\w-]*$/.test(text)) throw unauthorized()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64url'))
  } catch {
    throw unauthorized()
  }
}

/** Removes the token from the raw headers as well. */
function dropRawHeader(request: IncomingMessage, rest: string): void {
  const { rawHeaders } = request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === protocolHeader) rawHeaders[index + 1] = rest
  }
}
