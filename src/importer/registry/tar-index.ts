import { extract } from 'tar-stream'
import { safePath } from '../archive/tar-entries.ts'
import { writeArchive } from '../archive/write-archive.ts'
import { ImportFailure } from '../failure.ts'

/** Where a file of a tar archive is in it. */
export interface TarPlace {
  readonly offset: number
  readonly bytes: number
}

/** Files of an image layout, beyond which it is none. */
const mostFiles = 10_000

/** Finds the files of an archive on a disk, to read them in any order. @throws ImportFailure */
export async function tarIndex(chunks: AsyncIterable<Buffer>): Promise<ReadonlyMap<string, TarPlace>> {
  const archive = extract()
  const files = new Map<string, TarPlace>()
  archive.on('entry', (header: { name: string; type?: string | null; size?: number; byteOffset?: number }, stream, next) => {
    try {
      const path = safePath(header.name)
      if (files.size >= mostFiles)
        throw new ImportFailure('ImageInvalid', `The archive has more than ${mostFiles} files: is it an OCI archive?`)
      if (header.type === 'file') files.set(path, { offset: header.byteOffset ?? 0, bytes: header.size ?? 0 })
      stream.on('end', () => next())
      stream.resume()
    } catch (error) {
      next(error as Error)
    }
  })
  const closed = new Promise<void>((resolve) => archive.once('close', resolve))
  const ended = Promise.race([new Promise<void>((resolve) => archive.once('finish', resolve)), closed])
  let failure: unknown
  archive.on('error', (error: unknown) => (failure = error))
  try {
    for await (const chunk of chunks) {
      if (failure !== undefined) break
      await writeArchive(archive, chunk)
    }
    archive.end(null)
    await ended
  } catch (error) {
    failure ??= error
  } finally {
    archive.destroy()
  }
  if (failure === undefined) return files
  throw failure instanceof ImportFailure
    ? failure
    : new ImportFailure('ImageInvalid', `The archive is no valid tar (${(failure as Error).message}): save the image again`, {
        cause: failure,
      })
}
