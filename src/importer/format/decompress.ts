import { once } from 'node:events'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { ImportFailure } from '../failure.ts'
import { notInstalled, type ProgramContext, startProgram } from '../disk/program.ts'
import type { Compression } from './detect.ts'

/** Unpacks content as it arrives, with bounded memory. @throws ImportFailure */
export function decompressed(compression: Compression, chunks: AsyncIterable<Buffer>, context: ProgramContext): AsyncIterable<Buffer> {
  switch (compression) {
    case 'gz':
      return through(createGunzip({ chunkSize: chunkBytes }), 'gz', chunks)
    case 'zst':
      return through(createZstdDecompress({ chunkSize: chunkBytes }), 'zst', chunks)
    case 'xz':
      return throughXz(chunks, context)
  }
}

const chunkBytes = 256 * 1024

function damaged(compression: string, cause: unknown): ImportFailure {
  return new ImportFailure('ImageInvalid', `The content is no valid ${compression}: ${(cause as Error).message}; compress it again`, {
    cause,
  })
}

async function* through(unpacker: Transform, compression: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Errors of the source must be told from those of the unpacker.
  let failure: Error | undefined
  const feeding = pipeline(
    Readable.from(
      noting(chunks, (error) => (failure = error)),
      { objectMode: false },
    ),
    unpacker,
  )
  feeding.catch(() => {})
  try {
    yield* unpacker as AsyncIterable<Buffer>
  } catch (error) {
    throw failure ?? damaged(compression, error)
  } finally {
    unpacker.destroy()
    // The source is closed when this ends.
    await feeding.catch(() => {})
  }
}

/**
 * Passes chunks on, and tells of errors of their source. Those of the reader, which a generator is
 * told of, too, are not among them.
 */
async function* noting(chunks: AsyncIterable<Buffer>, onError: (error: Error) => void): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        onError(error as Error)
        throw error
      })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}

/** Memory that xz may use: presets need 65 MiB at most, and larger dictionaries are refused. */
const xzMemoryBytes = 256 * 1024 * 1024

/** Unpacks by Debian's xz, as no library that is kept up unpacks xz as a stream. */
async function* throughXz(chunks: AsyncIterable<Buffer>, context: ProgramContext): AsyncGenerator<Buffer> {
  const command = ['xz', '--decompress', '--stdout', '--quiet', `--memlimit-decompress=${xzMemoryBytes}`] as const
  const xz = startProgram([...command], { memoryBytes: 2 * xzMemoryBytes }, context)
  let failure: Error | undefined
  let complaint = ''
  xz.stderr.setEncoding('latin1').on('data', (text: string) => (complaint = `${complaint}${text}`.slice(0, 500)))
  const closed = once(xz, 'close').then(([code]) => code as number | null)
  closed.catch(() => {})
  xz.on('error', () => {})
  const feeding = pipeline(
    Readable.from(
      noting(chunks, (error) => (failure = error)),
      { objectMode: false },
    ),
    xz.stdin,
  )
  feeding.catch(() => {
    // Without an error of the source, the program has ended, and tells why by its exit code.
    if (failure !== undefined) xz.kill('SIGKILL')
  })
  try {
    yield* xz.stdout as AsyncIterable<Buffer>
    const code = await closed
    if (failure !== undefined) throw failure
    if (code === 127) throw notInstalled('xz')
    if (code !== 0) throw damaged('xz', { message: complaint.trim() === '' ? `xz ends with ${code}` : complaint.trim() })
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    throw failure ?? error
  } finally {
    xz.kill('SIGKILL')
    await feeding.catch(() => {})
    await closed.catch(() => {})
  }
}
