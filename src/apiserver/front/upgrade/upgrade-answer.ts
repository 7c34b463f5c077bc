import type { Duplex } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'
import { headBytes, statusLine } from '#apiserver/http/http1-head.ts'

/**
 * Answers a request that asked for an upgrade with a failure, and ends the connection. Does nothing
 * on one that is closed already.
 */
export function answerUpgrade(socket: Duplex, status: Status, auditId: string): void {
  if (!socket.writable) return
  const code = status.code ?? 500
  const body = Buffer.from(`${JSON.stringify(status)}\n`)
  const headers: [string, string][] = [
    ['audit-id', auditId],
    ['cache-control', 'no-cache, private'],
    ['content-type', 'application/json'],
    ['content-length', String(body.length)],
    ['connection', 'close'],
  ]
  if (status.details?.retryAfterSeconds) headers.push(['retry-after', String(status.details.retryAfterSeconds)])
  if (code === 401) headers.push(['www-authenticate', 'Bearer realm="steadyvm"'])
  socket.end(Buffer.concat([headBytes(statusLine(code), headers), body]))
}
