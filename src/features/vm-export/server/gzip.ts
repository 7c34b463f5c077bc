import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { chunkBytes, contentStamp, readChunk, requireUnchanged } from './chunks.ts'
import { holeOf } from './hole.ts'

const deflate = promisify(deflateRaw)

/** Chunks that are compressed at once, and so the memory of a download. */
const ahead = 4
/** Fastest: disks compress well or not at all, and the network is the limit. */
const settings = { level: 1, finishFlush: constants.Z_SYNC_FLUSH } as const
/** Deflate, no name, no time, written by Unix. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
/** An empty last block. */
const lastBlock = Buffer.from([0x03, 0x00])

/**
 * Compresses a disk to one gzip member. Chunks are compressed independently, on several threads,
 * and holes of a sparse disk not at all: their compressed form is known. The consumer sets the
 * pace: at most a few chunks are in memory. The end comes only if nothing was written meanwhile.
 * @throws ContentShrank, ContentChanged
 */
export async function* gzipOf(file: FileHandle, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  const hole = holeOf(chunkBytes, (zeros) => deflate(zeros, settings))
  const pending: Promise<Buffer>[] = []
  // Fresh memory costs more than reading a hole into it.
  const spare: Buffer[] = []
  let checksum = 0
  const stamp = await contentStamp(file)
  yield header
  for (let position = 0; position < bytes || pending.length > 0;) {
    while (position < bytes && pending.length < ahead) {
      const buffer = spare.pop() ?? Buffer.allocUnsafe(chunkBytes)
      const chunk = buffer.subarray(0, Math.min(chunkBytes, bytes - position))
      await readChunk(file, position, chunk)
      position += chunk.length
      if (hole.is(chunk)) {
        spare.push(buffer)
        checksum = hole.after(checksum)
        pending.push(hole.compressed)
        continue
      }
      checksum = crc32(chunk, checksum)
      const compressing = deflate(chunk, settings).finally(() => spare.push(buffer))
      // The consumer may be gone before it is awaited.
      compressing.catch(() => {})
      pending.push(compressing)
    }
    const next = await pending.shift()
    if (next !== undefined) yield next
  }
  await requireUnchanged(file, stamp)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(checksum, 0)
  trailer.writeUInt32LE(bytes % 2 ** 32, 4)
  yield Buffer.concat([lastBlock, trailer])
}
