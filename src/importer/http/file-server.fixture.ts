import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A file with its behaviour. */
export interface ServedFile {
  readonly content: Buffer
  /** Default: of the content. `none`: the server gives none. */
  readonly etag?: string
  readonly lastModified?: string
  /** Default true. */
  readonly hasRanges?: boolean
  /** Without Content-Length, as generated files are. */
  readonly isChunked?: boolean
  /** Bytes of the next answer after which the connection breaks; undefined: it does not. */
  readonly dropAfter?: (request: number) => number | undefined
  /** Milliseconds between pieces of 16 KiB. */
  readonly pauseMs?: number
  /** Never ends: the content is repeated. */
  readonly isEndless?: boolean
}

/** What a test server does with a path. */
export type Route = ServedFile | ((request: IncomingMessage, response: ServerResponse) => void)

/** A server of files with faults. */
export interface FileServer extends AsyncDisposable {
  readonly origin: string
  readonly routes: Map<string, Route>
  /** `GET /disk.raw bytes=100-`. */
  readonly requests: string[]
  readonly headers: IncomingMessage['headers'][]
}

/** Starts a server on a free port. */
export async function startFileServer(
  routes: Readonly<Record<string, Route>>,
  tls?: { readonly cert: string; readonly key: string },
): Promise<FileServer> {
  const all = new Map(Object.entries(routes))
  const requests: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const counts = new Map<string, number>()
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/'
    requests.push([request.method, path, request.headers.range].filter((each) => each !== undefined).join(' '))
    headers.push(request.headers)
    const route = all.get(path) ?? all.get(path.split('?')[0] ?? '')
    if (route === undefined) return void response.writeHead(404).end('no such file')
    if (typeof route === 'function') return route(request, response)
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    void send(route, count, request, response).catch(() => response.destroy())
  }
  const server = tls === undefined ? createServer(serve) : createSecureServer(tls, serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    routes: all,
    requests,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The ETag of a file without one of its own. */
export function etagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`
}

async function send(file: ServedFile, count: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { content, hasRanges = true, lastModified } = file
  const etag = file.etag ?? etagOf(content)
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
  const condition = request.headers['if-range']
  const isRange = hasRanges && from !== undefined && (condition === undefined || condition === etag || condition === lastModified)
  const start = isRange ? Number(from) : 0
  if (start > content.length) return void response.writeHead(416).end()
  response.writeHead(isRange ? 206 : 200, {
    ...(etag === 'none' ? {} : { etag }),
    ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
    ...(file.isChunked === true || file.isEndless === true ? {} : { 'content-length': content.length - start }),
    ...(isRange ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}),
  })
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
  const drop = file.dropAfter?.(count)
  const end = drop === undefined ? content.length : Math.min(content.length, start + drop)
  do {
    for (let at = start; at < end; at += 16_384) {
      if (file.pauseMs !== undefined) await sleep(file.pauseMs)
      if (!response.write(content.subarray(at, Math.min(end, at + 16_384))))
        await Promise.race([new Promise<void>((resolve) => response.once('drain', () => resolve())), closed])
      if (response.destroyed) return
    }
  } while (file.isEndless === true)
  if (drop === undefined) return void response.end()
  // What was written must arrive before the connection breaks.
  await sleep(5)
  response.destroy()
}
