import { open, type FileHandle } from 'node:fs/promises'
import { createSparseWriter } from './disk/sparse-writer.ts'
import { fileFailure, ImportFailure } from './failure.ts'
import { decompressed } from './format/decompress.ts'
import { createDownloads } from './http/download.ts'
import { createHttpClient } from './http/http-client.ts'
import { usualPatience } from './http/watched-body.ts'
import { systemTime, type Time, waitAfter } from './time.ts'

/** A raw disk that is compressed by gzip, and the file that it is written to. */
export interface DiskDownload {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** PEM certificates of authorities, in addition to those that Node knows. */
  readonly authorities: readonly string[]
  readonly file: string
  readonly signal: AbortSignal
  /** Sees how much of the disk is there. */
  readonly onBytes?: (bytes: number) => void
  /** Variables such as HTTPS_PROXY. */
  readonly proxies?: Readonly<Record<string, string | undefined>>
  /** Downloads in a row that end early, after which it is given up. Default: 3. */
  readonly tries?: number
  /** Default: the machine's. */
  readonly time?: Time
}

/**
 * Downloads a disk as a sparse file, with bounded memory, and returns its bytes. What is compressed
 * on the way cannot be continued: a download that ends early begins anew. @throws ImportFailure
 */
export async function downloadDisk(request: DiskDownload): Promise<number> {
  const { authorities, proxies = {}, signal, tries = 3, time = systemTime } = request
  using client = createHttpClient({ authorities, insecureSkipVerify: false, idleMs: usualPatience.idleMs, proxies })
  const download = createDownloads({ client, time, patience: usualPatience, tries })
  const file = await open(request.file, 'w', 0o600)
  try {
    for (let failures = 1; ; failures++) {
      try {
        const { chunks } = await download({ url: request.url, headers: () => Promise.resolve(request.headers) }, undefined, signal)
        return await write(file, decompressed('gz', chunks, { path: '', signal }), request)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const failure = fileFailure(error)
        if (!(failure instanceof ImportFailure) || failure.reason !== 'SourceInterrupted' || failures >= tries) throw failure
        await time.sleep(waitAfter(failures, time.random()), signal)
      }
    }
  } finally {
    await file.close()
  }
}

async function write(file: FileHandle, chunks: AsyncIterable<Buffer>, { onBytes }: DiskDownload): Promise<number> {
  await file.truncate(0)
  // The server knows the size of its disk: it does not send more.
  const size = { usual: Number.MAX_SAFE_INTEGER, largest: Number.MAX_SAFE_INTEGER }
  const writer = createSparseWriter(file, { position: 0, size, hasHoles: true })
  for await (const chunk of chunks) {
    await writer.write(chunk)
    onBytes?.(writer.position)
  }
  await writer.flush()
  await file.truncate(writer.position)
  return writer.position
}
