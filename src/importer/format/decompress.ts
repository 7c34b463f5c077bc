import { once } from 'node:events'
import type { Transform, Writable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { freeChunk, markLastPart } from '../chunk.ts'
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
  const feeding = feed(chunks, unpacker).catch((error: unknown) => void unpacker.destroy((failure = error as Error)))
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      // It fills one buffer after the other, by as many pieces as it takes.
      if (chunk.byteOffset + chunk.length === chunkBytes) markLastPart(chunk)
      yield chunk
    }
  } catch (error) {
    // A source that ends here knows best what is wrong with its bytes.
    await feeding
    throw failure ?? damaged(compression, error)
  } finally {
    unpacker.destroy()
    // The source is closed when this ends.
    await feeding
  }
}

/**
 * Writes chunks, frees them, and ends the writer behind the last one. One is written while the next
 * one arrives. Ends early with the writer, whose errors are told by itself.
 * @throws what the source of the chunks throws
 */
async function feed(chunks: AsyncIterable<Buffer>, writer: Writable): Promise<void> {
  let isWritten = Promise.resolve(true)
  for await (const chunk of chunks) {
    if (!(await isWritten)) return
    isWritten = write(writer, chunk)
  }
  if (await isWritten) writer.end()
}

/** Writes a chunk, and frees it. False if the writer has ended, which may still read it. */
function write(writer: Writable, chunk: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    // One that is destroyed does not always call back.
    const onClose = (): void => resolve(false)
    writer.once('close', onClose)
    writer.write(chunk, (error) => {
      writer.off('close', onClose)
      const isDone = error === undefined || error === null
      if (isDone) freeChunk(chunk)
      resolve(isDone)
    })
  })
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
  xz.stdin.on('error', () => {})
  const feeding = feed(chunks, xz.stdin).catch((error: unknown) => {
    failure = error as Error
    xz.kill('SIGKILL')
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
    await feeding
    await closed.catch(() => {})
  }
}
