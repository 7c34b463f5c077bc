import type { IncomingHttpHeaders, ClientRequest } from 'node:http'
import type { TransportRequest, TransportResponse } from '../transport.ts'
import type { Credentials } from './credentials.ts'
import { runExchange } from './exchange.ts'
import type { CompleteHttpConfig } from './http-config.ts'
import type { Connection } from './http2-connection.ts'
import { tlsOptions } from './tls-connect.ts'

/** Speaks HTTP/1.1 over a pool of kept-alive sockets, for servers and proxies without HTTP/2. */
export async function createHttp1Connection(config: CompleteHttpConfig, credentials: Credentials): Promise<Connection> {
  const url = new URL(config.server)
  const secure = url.protocol === 'https:'
  const protocol = secure ? await import('node:https') : process.getBuiltinModule('node:http')
  const agent = new protocol.Agent({
    keepAlive: true,
    keepAliveMsecs: config.pingIntervalMs,
    timeout: 0,
    ...(secure ? tlsOptions(config, credentials) : {}),
  })
  const base = { agent, hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port }
  return {
    usable: true,
    ended: false,
    request(request: TransportRequest, path: string, headers: Readonly<Record<string, string>>): Promise<TransportResponse> {
      return runExchange(request, config.requestTimeoutMs, (exchange) => {
        const length = request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }
        const sent: ClientRequest = protocol.request({ ...base, method: request.method, path, headers: { ...headers, ...length } })
        sent.once('response', (response) =>
          exchange.head(response.statusCode ?? 0, plainHeaders(response.headers), response, () => response.complete),
        )
        sent.on('error', (error) => exchange.fail(error, isConnectFailure(error)))
        sent.on('socket', (socket) => socket.setKeepAlive(true, config.pingIntervalMs))
        sent.end(request.body)
        return (reason) => sent.destroy(reason)
      })
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function isConnectFailure(error: Error & { syscall?: string }): boolean {
  return error.syscall === 'connect' || error.syscall === 'getaddrinfo'
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}
