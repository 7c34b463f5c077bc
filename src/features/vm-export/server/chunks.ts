import type { FileHandle } from 'node:fs/promises'
import type { ByteRange } from './byte-range.ts'

/** Bytes that are read at once. */
export const chunkBytes: number = 1 << 20

/** The content ended before its size. */
export class ContentShrank extends Error {
  override readonly name = 'ContentShrank'
}

/** The content was written to, as by a guest that was started: what was sent is of no instant. */
export class ContentChanged extends Error {
  override readonly name = 'ContentChanged'
}

/** Returns a text that changes with each write to a file. Undefined for devices: none tells. */
export async function contentStamp(file: FileHandle): Promise<string | undefined> {
  const found = await file.stat({ bigint: true })
  return found.isFile() ? `${found.size}-${found.mtimeNs}` : undefined
}

/** @throws ContentChanged */
export async function requireUnchanged(file: FileHandle, stamp: string | undefined): Promise<void> {
  if ((await contentStamp(file)) !== stamp) throw new ContentChanged('The content was written to while it was sent')
}

/**
 * Reads a part of a file in chunks. A hole of a sparse file costs no access to the disk. The last
 * chunk comes only if nothing was written meanwhile. @throws ContentShrank, ContentChanged
 */
export async function* chunksOf(file: FileHandle, { first, last }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
  const stamp = await contentStamp(file)
  for (let position = first; position <= last;) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, last + 1 - position))
    await readChunk(file, position, chunk)
    position += chunk.length
    if (position > last) await requireUnchanged(file, stamp)
    yield chunk
  }
}

/** Fills a buffer from a position on. @throws ContentShrank */
export async function readChunk(file: FileHandle, position: number, into: Buffer): Promise<void> {
  for (let filled = 0; filled < into.length;) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) throw new ContentShrank(`The content ended at byte ${position + filled}: it was cut while it was read`)
    filled += bytesRead
  }
}
