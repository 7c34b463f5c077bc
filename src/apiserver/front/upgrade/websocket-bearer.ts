import type { IncomingMessage } from 'node:http'
import { unauthorized } from '#apimachinery/errors.ts'

const protocolHeader = 'sec-websocket-protocol'
const prefix = 'base64url.bearer.authorization.k8s.io.'

/**
 * Browsers cannot set headers on a WebSocket, so they send their token as a sub-protocol. It
 * becomes an ordinary bearer token here, unless one was sent too, and goes from the list: no server
 * behind this one shall see it, and none can choose it. @throws StatusError 401 for a token that is
 * none
 */
export function takeWebSocketBearer(request: IncomingMessage): void {
  const { headers } = request
  const offered = headers[protocolHeader]
  if (offered === undefined || !offered.includes(prefix)) return
  const protocols = offered.split(',').map((protocol) => protocol.trim())
  const tokens = protocols.filter((protocol) => protocol.startsWith(prefix))
  const others = protocols.filter((protocol) => !protocol.startsWith(prefix))
  const [only] = tokens
  // Something must be left that the answer can choose, or no browser accepts it.
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

/** What reads the raw list must not find the token there either. */
function dropRawHeader(request: IncomingMessage, rest: string): void {
  const { rawHeaders } = request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === protocolHeader) rawHeaders[index + 1] = rest
  }
}
