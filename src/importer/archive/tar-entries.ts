import { extract, type Extract } from 'tar-stream'
import { ImportFailure } from '../failure.ts'
import { writeArchive } from './write-archive.ts'

/** A file, folder or link of a tar archive. Anything else is refused by {@link tarEntries}. */
export interface TarEntry {
  readonly kind: 'file' | 'directory' | 'symlink' | 'link'
  /** Below the root of the archive, without leading `./`; empty for the root itself. */
  readonly path: string
  readonly mode: number
  readonly bytes: number
  /** Where a link leads, as it is in the archive. */
  readonly target: string
  /** Must be read before the next entry; what is not read is skipped. */
  readonly chunks: AsyncIterable<Buffer>
}

/** Longest path of Linux. */
const longestPath = 4096

/**
 * Reads the entries of a tar archive as it arrives. Paths that lead out of the archive, devices and
 * sockets are refused: no image and no archive of files needs them. An archive with more bytes than
 * `mostBytes` is refused, too: what is unpacked into it may have no end. @throws ImportFailure
 */
export async function* tarEntries(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<TarEntry> {
  const archive = extract()
  let failure: Error | undefined
  const feeding = (async () => {
    let bytes = 0
    for await (const chunk of chunks) {
      if (archive.destroyed) return
      bytes += chunk.length
      if (bytes > mostBytes)
        throw new ImportFailure(
          'VolumeTooSmall',
          `The archive has more than ${mostBytes} bytes, for which there is no room. A larger PVC is required`,
        )
      await writeArchive(archive, chunk)
    }
    archive.end(null)
  })().catch((error: unknown) => {
    failure = error as Error
    archive.destroy(failure)
  })
  try {
    for await (const entry of archive) {
      yield readEntry(entry)
      // The iterator continues when the entry was read.
      entry.resume()
    }
    if (failure !== undefined) throw failure
  } catch (error) {
    throw failure ?? (error instanceof ImportFailure ? error : damaged(error))
  } finally {
    archive.destroy()
    await feeding
  }
}

function damaged(cause: unknown): ImportFailure {
  return new ImportFailure('ImageInvalid', `The archive is no valid tar (${(cause as Error).message}): pack it again`, { cause })
}

type Source = Extract extends AsyncIterable<infer Item> ? Item : never

/** @throws ImportFailure */
function readEntry(entry: Source): TarEntry {
  const { name, type, mode, size, linkname } = entry.header
  const path = safePath(name)
  const kind = kinds[type ?? '']
  if (kind === undefined)
    throw new ImportFailure(
      'UnsafeArchive',
      `The archive has a ${quote(type ?? 'file of an unknown type')} "${quote(path)}", which is refused: leave it out`,
    )
  return { kind, path, mode: mode & 0o777, bytes: size, target: linkname ?? '', chunks: entry as AsyncIterable<Buffer> }
}

const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'symlink',
  link: 'link',
}

/**
 * The path of an entry below the root of its archive. A leading slash is dropped, as tar does.
 * @throws ImportFailure when it leads out of the archive
 */
export function safePath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..') || name.includes('\0') || name.length > longestPath)
    throw new ImportFailure('UnsafeArchive', `The archive has a path that leads out of it ("${quote(name)}"): pack it again without`)
  return parts.join('/')
}

/** Text from an archive, for a message. */
export function quote(text: string): string {
  return text.replaceAll(/[^\x20-\x7E]/g, '?').slice(0, 100)
}
