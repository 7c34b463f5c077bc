import { getSystemErrorName } from 'node:util'

/** A call of Linux about the blocks of a file has failed. */
export class BlocksError extends Error {
  override readonly name = 'BlocksError'
  /** Name of the error, such as ENOSPC. */
  readonly code: string

  constructor(call: string, position: number, errno: number) {
    const code = getSystemErrorName(-errno)
    super(`${code}: ${call}() failed at ${position}`)
    this.code = code
  }
}

// Numbers of Linux.
const [seekData, seekHole, noSuchPosition] = [3, 4, 6]
/** FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE. */
const punchHole = 1 | 2
const shareAllBlocks = 0x4004_9409n

/** Calls about the blocks of files that Node does not have, directly of the C library. */
export interface FileBlocks extends Disposable {
  /** Position of the next data, `bytes` without any. @throws BlocksError */
  nextData(descriptor: number, from: number, bytes: number): number
  /** Position of the next hole, `bytes` without any. @throws BlocksError */
  nextHole(descriptor: number, from: number, bytes: number): number
  /** Frees a part of a file, which reads as zeros then. @throws BlocksError */
  free(descriptor: number, from: number, bytes: number): void
  /**
   * Copies a part of a file to the same place of another one, within the kernel.
   * @throws BlocksError
   */
  copy(source: number, target: number, from: number, bytes: number): number
  /** Makes a file one with the same blocks as another one, at once. @throws BlocksError */
  share(source: number, target: number): void
}

/** Opens the calls. */
export function openFileBlocks(): FileBlocks {
  const ffi = process.getBuiltinModule('node:ffi')
  const library = ffi.dlopen('libc.so.6', {
    lseek: { arguments: ['i32', 'i64', 'i32'], return: 'i64' },
    fallocate: { arguments: ['i32', 'i32', 'i64', 'i64'], return: 'i32' },
    copy_file_range: { arguments: ['i32', 'pointer', 'i32', 'pointer', 'u64', 'u32'], return: 'i64' },
    ioctl: { arguments: ['i32', 'u64', 'i64'], return: 'i32' },
    __errno_location: { arguments: [], return: 'pointer' },
  })
  const { lseek, fallocate, copy_file_range: copyRange, ioctl, __errno_location: errorLocation } = library.functions
  const errorPlace = errorLocation()
  const positions = new BigInt64Array(2)
  const place = ffi.getRawPointer(positions.buffer)
  const failed = (call: string, position: number): BlocksError => new BlocksError(call, position, ffi.getInt32(errorPlace))
  const next = (descriptor: number, from: number, bytes: number, what: number): number => {
    ffi.setInt32(errorPlace, 0, 0)
    const found = Number(lseek(descriptor, BigInt(from), what))
    if (found >= from) return Math.min(found, bytes)
    // Behind the last data.
    if (ffi.getInt32(errorPlace) === noSuchPosition) return bytes
    throw failed('lseek', from)
  }
  return {
    nextData: (descriptor, from, bytes) => next(descriptor, from, bytes, seekData),
    nextHole: (descriptor, from, bytes) => next(descriptor, from, bytes, seekHole),
    free(descriptor, from, bytes) {
      if (Number(fallocate(descriptor, punchHole, BigInt(from), BigInt(bytes))) !== 0) throw failed('fallocate', from)
    },
    copy(source, target, from, bytes) {
      positions.fill(BigInt(from))
      const copied = Number(copyRange(source, place, target, place + 8n, BigInt(bytes), 0))
      if (copied < 0) throw failed('copy_file_range', from)
      return copied
    },
    share(source, target) {
      if (Number(ioctl(target, shareAllBlocks, BigInt(source))) !== 0) throw failed('ioctl', 0)
    },
    [Symbol.dispose]() {
      library[Symbol.dispose]()
    },
  }
}
