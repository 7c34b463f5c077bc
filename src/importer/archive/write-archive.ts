import type { Extract } from 'tar-stream'

/**
 * Writes a chunk of an archive to its reader, and waits until that takes the next one, or has
 * ended. Nothing of the wait stays: an archive has as many chunks as it likes.
 */
export function writeArchive(archive: Extract, chunk: Buffer): Promise<void> {
  if (archive.write(chunk) || archive.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const onChange = (): void => {
      archive.off('drain', onChange)
      archive.off('close', onChange)
      resolve()
    }
    archive.on('drain', onChange)
    archive.on('close', onChange)
  })
}
