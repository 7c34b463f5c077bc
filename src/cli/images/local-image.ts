import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { CommandError } from '../context.ts'
import { formatChecksum, type Checksum } from './image-source.ts'
import { headerBytes, virtualSizeOf } from './image-size.ts'

/** A file with a disk image. */
export interface LocalImage {
  readonly path: string
  readonly bytes: number
  /** Bytes of the disk in it; undefined if the header does not say. */
  readonly virtualBytes: bigint | undefined
}

/** A file whose content is known by its digest. It names an upload, so that it can be continued. */
export interface DigestedImage extends LocalImage {
  readonly digest: Checksum
}

/** Reads the header of a file. @throws CommandError */
export async function readLocalImage(path: string): Promise<LocalImage> {
  try {
    await using file = await open(path)
    const stats = await file.stat()
    if (!stats.isFile()) throw new CommandError(`${path} is no file: name a disk image, or a URL with its scheme`)
    if (stats.size === 0) throw new CommandError(`${path} is empty`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
    return { path, bytes: stats.size, virtualBytes: virtualSizeOf(buffer.subarray(0, bytesRead), stats.size) }
  } catch (error) {
    if (!isNoEntry(error)) throw error
    throw new CommandError(`There is no file ${path}: name a disk image, or a URL with its scheme, such as docker://${path}`, undefined, {
      cause: error,
    })
  }
}

function isNoEntry(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Digests a file. `onBytes` gets the number of bytes so far. */
export async function digestFile(
  { path }: LocalImage,
  algorithm: Checksum['algorithm'],
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<Checksum> {
  const hash = createHash(algorithm)
  let done = 0
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    done += chunk.length
    onBytes(done)
  }
  return { algorithm, digits: hash.digest('hex') }
}

/** Compares a file with the checksum that it must have. @throws CommandError */
export function checkDigest(path: string, wanted: Checksum, read: Checksum): void {
  if (wanted.digits === read.digits) return
  throw new CommandError(
    `${path} is not the image that --checksum names: it has ${formatChecksum(read)}, wanted is ${formatChecksum(wanted)}`,
  )
}
