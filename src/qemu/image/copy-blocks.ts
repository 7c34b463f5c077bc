import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BlocksError, openFileBlocks } from './file-blocks.ts'

/** Bytes that are copied in one call, during which the process does nothing else. */
const pieceBytes = 8 << 20

/** What a copy tells. */
export interface CopyOptions {
  readonly signal: AbortSignal
  /** Called after each piece of data with the position behind it. */
  readonly onCopied?: (position: number) => void
}

/** Errors that tell what files or file systems cannot do, and nothing of the storage. */
const unsupported: readonly string[] = ['EBADF', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'ENOTTY', 'EOPNOTSUPP', 'EPERM', 'ETXTBSY', 'EXDEV']

function isUnsupported(error: unknown): boolean {
  return error instanceof BlocksError && unsupported.includes(error.code)
}

/**
 * Lets a new file share all blocks of another one, as XFS and Btrfs can. What is written to either
 * of them later is only in that one. It is one instant of the source: writes are there as a whole
 * or not at all. False where that is not possible. @throws BlocksError
 */
export function shareBlocks(source: FileHandle, target: FileHandle): boolean {
  using blocks = openFileBlocks()
  try {
    blocks.share(source.fd, target.fd)
    return true
  } catch (error) {
    if (isUnsupported(error)) return false
    throw error
  }
}

/**
 * Copies the data of a file to an empty one within the kernel, and leaves out its holes. False, and
 * nothing copied, where that is not possible. @throws BlocksError
 */
export async function copyBlocks(
  source: FileHandle,
  target: FileHandle,
  bytes: number,
  { signal, onCopied }: CopyOptions,
): Promise<boolean> {
  // Positions in devices say nothing.
  if (!(await source.stat()).isFile()) return false
  using blocks = openFileBlocks()
  let isBegun = false
  try {
    for (let at = blocks.nextData(source.fd, 0, bytes); at < bytes; at = blocks.nextData(source.fd, at, bytes)) {
      const end = blocks.nextHole(source.fd, at, bytes)
      while (at < end) {
        signal.throwIfAborted()
        const copied = blocks.copy(source.fd, target.fd, at, Math.min(pieceBytes, end - at))
        // The source has become shorter.
        if (copied === 0) return true
        isBegun = true
        at += copied
        onCopied?.(at)
        await nextTurn()
      }
    }
    return true
  } catch (error) {
    if (!isBegun && isUnsupported(error)) return false
    throw error
  }
}
