import type { Duplex } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'
import { headBytes, statusLine } from '#apiserver/http/http1-head.ts'

/** Refuses an upgrade with a Status and closes the connection. Does nothing when it is closed. */
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
