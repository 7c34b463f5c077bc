import { constants, open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { fileStamp } from '../disk/file-stamp.ts'
import type { ProgramContext } from '../disk/program.ts'
import { inspectImage } from '../disk/qemu-img.ts'
import { ImportFailure } from '../failure.ts'

/** Serves the bytes of a volume to the worker that copies it. */
export interface VolumeServer {
  /** Answers `GET /disk`, also from a position on. */
  serve(request: IncomingMessage, response: ServerResponse): void
}

/** Path of the disk on a {@link VolumeServer}. */
export const diskPath = '/disk'

/** Creates the server of a disk or device. Answers 503 while it cannot be read. */
export function createVolumeServer(path: string, context: ProgramContext): VolumeServer {
  return {
    serve(request, response) {
      if (request.method !== 'GET' || request.url !== diskPath) return void response.writeHead(404).end()
      void answer(path, context, request, response).catch(() => {
        // A client that has gone, or a volume that cannot be read: the client comes back.
        if (response.headersSent) response.destroy()
        else response.writeHead(503).end()
      })
    },
  }
}

async function answer(path: string, context: ProgramContext, { headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  // A link that a guest's owner left in the volume could lead to files of this worker.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const { size, validator } = await identityOf(file, path, context)
  const start = headers['if-range'] === validator ? startOf(headers.range, size) : 0
  const common = { etag: validator, 'content-type': 'application/octet-stream', 'content-length': size - start }
  if (start === 0) response.writeHead(200, common)
  else response.writeHead(206, { ...common, 'content-range': `bytes ${start}-${size - 1}/${size}` })
  if (size === start) return void response.end()
  await pipeline(bytesOf(file, start, size), response)
}

/**
 * Reads a disk. The last bytes come only if nothing was written meanwhile, as by a guest that was
 * started: the client then asks for the rest, and learns that the disk has changed.
 */
async function* bytesOf(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  const stamp = await fileStamp(file)
  let last: Buffer | undefined
  for await (const chunk of file.createReadStream({ start, end: size - 1, highWaterMark: 1 << 20, autoClose: false })) {
    if (last !== undefined) yield last
    last = chunk as Buffer
  }
  if ((await fileStamp(file)) !== stamp) throw new ImportFailure('SourceChanged', 'The disk was written to while it was sent')
  if (last !== undefined) yield last
}

/** The same validator stands for the same bytes. */
async function identityOf(
  file: FileHandle,
  path: string,
  context: ProgramContext,
): Promise<{ readonly size: number; readonly validator: string }> {
  const status = await file.stat()
  if (status.isFile()) return { size: status.size, validator: `"${await fileStamp(file)}"` }
  const { virtualBytes } = await inspectImage(path, 'raw', context, 'host_device')
  return { size: virtualBytes, validator: `"${virtualBytes}-${status.rdev}"` }
}

/** `bytes=100-` → 100 */
function startOf(range: string | undefined, size: number): number {
  const start = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0)
  return start < size ? start : 0
}
