import type { FileHandle } from 'node:fs/promises'
import { tooLong, type DiskSize } from './volume-size.ts'

/** Writes a disk from its start to its end. */
export interface SparseWriter {
  /** Bytes that were written, holes included. */
  readonly position: number
  /** @throws ImportFailure when the disk gets longer than it may */
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
const zeros = Buffer.alloc(block)

/** Creates a writer that leaves out blocks of zeros, and writes others in large pieces. */
export function createSparseWriter(file: FileHandle, { position: from, size, hasHoles }: SparseWriterOptions): SparseWriter {
  const batch = Buffer.allocUnsafe(batchBytes)
  /** Bytes in the batch, and where they belong. */
  let held = 0
  let base = from

  async function flush(): Promise<void> {
    const bytes = batch.subarray(0, held)
    if (hasHoles) for (const [start, end] of dataRuns(bytes, base)) await writeAll(file, bytes.subarray(start, end), base + start)
    else await writeAll(file, bytes, base)
    base += held
    held = 0
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
        if (held === batchBytes) await flush()
      }
    },
    flush,
  }
}

/** Ranges of bytes with data. Blocks lie at multiples of their size in the file. Pure. */
export function dataRuns(bytes: Buffer, base: number): readonly (readonly [start: number, end: number])[] {
  const runs: [number, number][] = []
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + block - ((base + start) % block))
    const isZero = bytes.compare(zeros, 0, end - start, start, end) === 0
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
