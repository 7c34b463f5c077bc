import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A web server of the files of a folder. */
export interface ImageServer extends AsyncDisposable {
  readonly url: string
}

/** Starts a server in a process of its own, as its work is that of another machine. */
export async function startImageServer(folder: string): Promise<ImageServer> {
  const child = spawn(process.execPath, [import.meta.filename, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return {
    url: line.trim(),
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Serves files with ranges and ETags, as web servers do. */
async function serve(folder: string): Promise<void> {
  const server = createServer((request, response) => {
    const path = join(folder, (request.url ?? '').slice(1))
    stat(path).then(
      ({ size, mtimeMs }) => {
        const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
        const start = Number(from ?? 0)
        const end = to === undefined || to === '' ? size - 1 : Math.min(size - 1, Number(to))
        response.writeHead(from === undefined ? 200 : 206, {
          'content-length': end - start + 1,
          etag: `"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`,
          'accept-ranges': 'bytes',
          ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
        })
        if (request.method === 'HEAD') response.end()
        else createReadStream(path, { start, end, highWaterMark: 1 << 20 }).pipe(response)
      },
      () => response.writeHead(404).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
}

if (process.argv[1] === import.meta.filename) await serve(process.argv[2] ?? '.')
