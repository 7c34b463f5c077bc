import type { FileHandle } from 'node:fs/promises'
import { freeChunk } from '../chunk.ts'
import { tooLong, type DiskSize } from './volume-size.ts'

/** Writes a disk from its start to its end. */
export interface SparseWriter {
  /** Bytes that were written, holes included. */
  readonly position: number
  /** Takes a chunk, and frees it. @throws ImportFailure when the disk gets longer than it may */
  write(chunk: Buffer): Promise<void>
  /** Writes what is held back. */
  flush(): Promise<void>
}

/** Parameters of {@link createSparseWriter}. */
export interface SparseWriterOptions {
  /** Where writing begins. */
  readonly position: number
  readonly size: DiskSize
  /** What is not written reads as zeros. False for devices, which have old content. */
  readonly hasHoles: boolean
}

const block = 4096
const batchBytes = 1024 * 1024
/** Never touched, so that it takes no memory. */
const zeros = Buffer.alloc(batchBytes)

/**
 * Creates a writer that leaves out blocks of zeros, and writes others in large pieces. One piece is
 * written while the next one arrives.
 */
export function createSparseWriter(file: FileHandle, { position: from, size, hasHoles }: SparseWriterOptions): SparseWriter {
  let batch = Buffer.allocUnsafe(batchBytes)
  let other = Buffer.allocUnsafe(batchBytes)
  /** Bytes in the batch, and where they belong. */
  let held = 0
  let base = from
  let writing: Promise<void> = Promise.resolve()

  async function put(bytes: Buffer, position: number): Promise<void> {
    if (!hasHoles) return writeAll(file, bytes, position)
    for (const [start, end] of dataRuns(bytes, position)) await writeAll(file, bytes.subarray(start, end), position + start)
  }

  /** Begins to write the batch, when the one before is written. */
  async function pass(): Promise<void> {
    await writing
    writing = put(batch.subarray(0, held), base)
    // An error is told to those who wait for it, which is the next call.
    writing.catch(() => {})
    base += held
    held = 0
    ;[batch, other] = [other, batch]
  }

  return {
    get position() {
      return base + held
    },
    async write(chunk) {
      if (base + held + chunk.length > size.largest) throw tooLong(size)
      for (let taken = 0; taken < chunk.length;) {
        const part = chunk.copy(batch, held, taken)
        taken += part
        held += part
        if (held === batchBytes) await pass()
      }
      freeChunk(chunk)
    },
    async flush() {
      await pass()
      await writing
    },
  }
}

/** Ranges of bytes with data. Blocks lie at multiples of their size in the file. Pure. */
export function dataRuns(bytes: Buffer, base: number): readonly (readonly [start: number, end: number])[] {
  if (bytes.length <= zeros.length && bytes.compare(zeros, 0, bytes.length) === 0) return []
  const runs: [number, number][] = []
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + block - ((base + start) % block))
    // Most blocks tell by their first byte.
    const isZero = bytes[start] === 0 && bytes.compare(zeros, 0, end - start, start, end) === 0
    const last = runs.at(-1)
    if (!isZero) {
      if (last?.[1] === start) last[1] = end
      else runs.push([start, end])
    }
    start = end
  }
  return runs
}

/** Writes all bytes: one call may write fewer. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}
