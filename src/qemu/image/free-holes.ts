import { setImmediate as nextTurn } from 'node:timers/promises'

/** The file system does not free blocks of a file. */
export class HolesNotFreed extends Error {
  override readonly name = 'HolesNotFreed'
}

// Numbers of Linux.
const [seekData, seekHole, noSuchPosition] = [3, 4, 6]
/** FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE. */
const punchHole = 1 | 2
/** Bytes that are freed in one call, during which the process does nothing else. */
const pieceBytes = 1 << 30

/**
 * Frees the blocks of a file that are allocated and were never written, for which lseek(2) and
 * fallocate(2) are called directly: QEMU 7.2 allocates the zeros of a backup. Nothing may write to
 * the file meanwhile. @throws HolesNotFreed
 */
export async function freeHoles(descriptor: number, bytes: number): Promise<void> {
  const ffi = process.getBuiltinModule('node:ffi')
  using library = ffi.dlopen('libc.so.6', {
    lseek: { arguments: ['i32', 'i64', 'i32'], return: 'i64' },
    fallocate: { arguments: ['i32', 'i32', 'i64', 'i64'], return: 'i32' },
    __errno_location: { arguments: [], return: 'pointer' },
  })
  const { lseek, fallocate, __errno_location: errorLocation } = library.functions
  const errorPlace = errorLocation()
  /** Position of the next hole or data. @throws HolesNotFreed unless that is known for sure */
  const next = (from: number, what: number): number => {
    ffi.setInt32(errorPlace, 0, 0)
    const found = Number(lseek(descriptor, BigInt(from), what))
    if (found >= from) return Math.min(found, bytes)
    const code = ffi.getInt32(errorPlace)
    if (code === noSuchPosition) return bytes
    throw new HolesNotFreed(`lseek() failed with error ${code} at ${from} of ${bytes} bytes`)
  }
  for (let start = next(0, seekHole); start < bytes; start = next(start, seekHole)) {
    const end = next(start, seekData)
    for (; start < end; start = Math.min(end, start + pieceBytes)) {
      const length = Math.min(pieceBytes, end - start)
      if (Number(fallocate(descriptor, punchHole, BigInt(start), BigInt(length))) !== 0)
        throw new HolesNotFreed(`fallocate() failed at ${start} of ${bytes} bytes: the file system has no holes`)
      await nextTurn()
    }
  }
}
