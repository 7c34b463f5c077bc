import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { messageOf } from '#apimachinery/errors.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { TlsLimits } from '#runtime/webhook/tls-limits.ts'
import { serverUris } from '../export-task.ts'
import { hasToken } from './access-token.ts'
import { NoDisk } from './disk.ts'
import { NotInVolume } from './open-beneath.ts'
import type { Route } from './routes.ts'

/** Options of {@link startExportServer}. */
export interface ExportServerOptions {
  /** Undefined: all addresses. */
  readonly host: string | undefined
  /** 0 picks a free one. */
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string; readonly limits: TlsLimits }
  readonly routes: readonly Route[]
  readonly token: () => Promise<string>
  readonly log: Logger
}

/** Serves volumes until it is disposed, which ends downloads at once. */
export interface ExportServer extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves the routes over HTTPS to clients with the token. The path of the readiness probe needs
 * none, and tells nothing. Neither tokens nor queries are logged.
 */
export async function startExportServer(options: ExportServerOptions): Promise<ExportServer> {
  const { host, port, tls } = options
  const { cert, key, limits } = tls
  const server = createServer({ cert, key, ...limits }, (request, response) => void answer(options, request, response))
  // A download takes as long as it takes; a client that sends nothing is not waited for.
  server.requestTimeout = 60_000
  // A download takes some MiB of memory.
  server.maxConnections = 64
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...(host === undefined ? {} : { host }), port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        // Half a disk is of no use: the client sees that the connection was cut.
        server.closeAllConnections()
      })
    },
  }
}

/** Never rejects. */
async function answer(options: ExportServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { log } = options
  const url = URL.parse(request.url ?? '/', 'https://localhost')
  const path = url === null ? undefined : decoded(url.pathname)
  try {
    const code = url === null || path === undefined ? 400 : await answerPath(options, { request, response, url, path })
    if (code !== undefined) response.writeHead(code).end()
  } catch (error) {
    const code = error instanceof NotInVolume ? 404 : 500
    log.warn({ path, error: messageOf(error) }, error instanceof NoDisk ? 'There is no disk to send' : 'A download ended early')
    if (response.headersSent) response.destroy()
    else response.writeHead(code).end()
  }
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly path: string
}

/** Resolves to the code of an answer without content; undefined when there was one. */
async function answerPath(
  { routes, token, log }: ExportServerOptions,
  { request, response, url, path }: Asked,
): Promise<number | undefined> {
  if (path === serverUris.ready) {
    response.end('OK')
    return undefined
  }
  const route = routes.find((one) => (one.path.endsWith('/') ? path.startsWith(one.path) : path === one.path))
  if (route === undefined) return 404
  if (!hasToken(request, url, await token())) return 401
  // KubeVirt's code.
  if (request.method !== 'GET' && !(request.method === 'HEAD' && route.hasRanges)) return 400
  const bytes = await route.answer(request, response, path.slice(route.path.length))
  log.info({ path: route.path, bytes }, 'Sent')
  return undefined
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
