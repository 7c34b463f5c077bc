import type { IncomingMessage, ServerResponse } from 'node:http'
import { readAll } from './body-reader.ts'
import { drain } from './drain.ts'
import { separateIdentity } from './separate-identity.ts'
import type { AnswerStream, Exchange, Peer } from './exchange.ts'

/** Wraps a request on an HTTP/1.1 connection. */
export function http1Exchange(request: IncomingMessage, response: ServerResponse, peer: Peer): Exchange {
  response.on('error', () => {})
  request.on('error', () => {})

  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: separateIdentity(request.headers, request.rawHeaders),
    peer,
    onGone(callback) {
      if (response.destroyed) callback()
      else response.once('close', callback)
    },
    readBody: (limitBytes) => readAll(request, request.headers['content-length'], limitBytes),
    body() {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      return (length === undefined || length === '0') && encoding === undefined ? undefined : request
    },
    relay(status, headers) {
      if (response.destroyed || response.headersSent) return undefined
      // The connection cannot be reused while a body is unread.
      if (!request.complete) response.setHeader('connection', 'close')
      response.writeHead(status, headers as Record<string, string>)
      response.flushHeaders()
      return response
    },
    send(status, headers, body) {
      if (response.destroyed || response.headersSent) return
      // The connection cannot be reused after an unread body, but the client must receive the
      // answer first.
      const unread = !request.complete
      response.writeHead(status, {
        ...(headers as Record<string, string>),
        'content-length': body.length,
        ...(unread ? { connection: 'close' } : {}),
      })
      const content = request.method === 'HEAD' ? Buffer.alloc(0) : body
      if (!unread) return void response.end(content)
      if (content.length > 0) response.write(content)
      else response.flushHeaders()
      drain(request, () => response.end())
    },
    open(status, headers): AnswerStream {
      if (!response.destroyed && !response.headersSent) {
        response.writeHead(status, headers as Record<string, string>)
        response.flushHeaders()
      }
      return {
        write: (chunk) => void (response.writable && response.write(chunk)),
        get pendingBytes() {
          return response.writableLength
        },
        end: () => void (response.writable && response.end()),
        abort: () => response.destroy(),
      }
    },
  }
}
