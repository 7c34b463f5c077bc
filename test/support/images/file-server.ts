import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'

/** A web server of the files of a folder. */
export interface FileServer extends AsyncDisposable {
  /** `http://127.0.0.1:1234` */
  readonly url: string
  /** Ranges that clients have asked for, such as `bytes=1000-`. */
  readonly ranges: readonly string[]
}

/** How a server treats its clients. */
export interface FileServerOptions {
  /** Address of this machine at which it listens. */
  readonly address?: string
  /** Bytes after which the first download of each file loses its connection. */
  readonly cutAfter?: number
}

/** Starts a server on a free port. It serves ranges of files, by their time. */
export async function startFileServer(folder: string, { address = '127.0.0.1', cutAfter }: FileServerOptions = {}): Promise<FileServer> {
  const ranges: string[] = []
  const cut = new Set<string>()
  const server = createServer((request, response) => {
    const path = join(folder, basename(request.url ?? ''))
    const isCut = cutAfter !== undefined && request.method === 'GET' && !cut.has(path)
    if (isCut) cut.add(path)
    if (request.headers.range !== undefined) ranges.push(request.headers.range)
    stat(path).then(
      ({ size, mtime }) => {
        const isHead = request.method === 'HEAD'
        answer(response, { path, size, mtime, isHead, asked: request.headers, cutAfter: isCut ? cutAfter : undefined })
      },
      () => response.writeHead(404).end(),
    )
  })
  server.listen(0, address)
  await once(server, 'listening')
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    ranges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Download {
  readonly path: string
  readonly size: number
  readonly mtime: Date
  readonly isHead: boolean
  readonly asked: IncomingHttpHeaders
  readonly cutAfter: number | undefined
}

function answer(response: ServerResponse, { path, size, mtime, isHead, asked, cutAfter }: Download): void {
  const time = mtime.toUTCString()
  const isSame = asked['if-range'] === undefined || asked['if-range'] === time
  const start = isSame ? Number(/^bytes=(\d+)-$/.exec(asked.range ?? '')?.[1] ?? 0) : 0
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': size - start,
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    'last-modified': time,
    ...(start > 0 ? { 'content-range': `bytes ${start}-${size - 1}/${size}` } : {}),
  })
  if (isHead) return void response.end()
  const end = cutAfter === undefined ? undefined : start + cutAfter - 1
  const file = createReadStream(path, { start, ...(end === undefined || end >= size ? {} : { end }) })
  file.pipe(response, { end: false })
  file.once('end', () => (end === undefined || end >= size ? response.end() : response.destroy()))
}
