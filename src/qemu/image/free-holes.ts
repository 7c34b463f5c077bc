import { setImmediate as nextTurn } from 'node:timers/promises'
import { openFileBlocks } from './file-blocks.ts'

/** Bytes that are freed in one call, during which the process does nothing else. */
const pieceBytes = 1 << 30

/**
 * Frees the blocks of a file that are allocated and were never written: QEMU 7.2 allocates the
 * zeros of a backup. Nothing may write to the file meanwhile. @throws BlocksError
 */
export async function freeHoles(descriptor: number, bytes: number): Promise<void> {
  using blocks = openFileBlocks()
  for (let start = blocks.nextHole(descriptor, 0, bytes); start < bytes; start = blocks.nextHole(descriptor, start, bytes)) {
    const end = blocks.nextData(descriptor, start, bytes)
    for (; start < end; start = Math.min(end, start + pieceBytes)) {
      blocks.free(descriptor, start, Math.min(pieceBytes, end - start))
      await nextTurn()
    }
  }
}
