import { Buffer } from 'node:buffer'
import { createInflate, type Inflate } from 'node:zlib'
import { headerDictionary } from './dictionary.ts'
import { SpdyError } from './frames.ts'

/** Headers of a stream: lower-case names, the first value of each. */
export type SpdyHeaders = ReadonlyMap<string, string>

/** Bytes of one header block, unpacked. Those of Kubernetes have less than a hundred. */
const maximumBlock = 64 * 1024

/**
 * Reads header blocks. All blocks of a connection are one compressed stream, so none may be left
 * out, and one that is broken breaks the rest.
 */
export interface HeaderReader extends Disposable {
  /** One at a time. @throws SpdyError */
  read(block: Uint8Array): Promise<SpdyHeaders>
}

/** Makes a reader for a connection. */
export function createHeaderReader(): HeaderReader {
  const inflate = createInflate({ dictionary: headerDictionary })
  inflate.on('error', () => {})
  return {
    async read(block) {
      return parseHeaders(await unpack(inflate, block))
    },
    [Symbol.dispose]: () => void inflate.destroy(),
  }
}

function unpack(inflate: Inflate, block: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (error: Error | undefined): void => {
      inflate.off('data', onData).off('error', onError).off('close', onClose)
      if (error === undefined) resolve(Buffer.concat(chunks))
      else reject(error instanceof SpdyError ? error : new SpdyError(`headers cannot be unpacked: ${error.message}`, { cause: error }))
    }
    const onError = (error: Error): void => finish(error)
    const onClose = (): void => finish(new SpdyError('the connection has ended'))
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      // A few bytes can stand for a great many.
      if (size <= maximumBlock) return
      finish(new SpdyError(`headers have more than ${maximumBlock} bytes`))
      inflate.destroy()
    }
    if (inflate.destroyed) return onClose()
    inflate.on('data', onData).once('error', onError).once('close', onClose)
    inflate.write(block, (error) => finish(error ?? undefined))
  })
}

/** @throws SpdyError */
function parseHeaders(block: Buffer): SpdyHeaders {
  let offset = 0
  const number = (): number => {
    if (block.length < offset + 4) throw new SpdyError('headers end too soon')
    offset += 4
    return block.readUInt32BE(offset - 4)
  }
  const text = (): string => {
    const length = number()
    if (block.length < offset + length) throw new SpdyError('headers end too soon')
    offset += length
    return block.toString('latin1', offset - length, offset)
  }
  const headers = new Map<string, string>()
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase()
    // Several values of one name have a zero byte between them.
    headers.set(name, text().split('\0', 1)[0] ?? '')
  }
  return headers
}

/** An empty block as the first of a connection, and as any later one. */
export interface HeaderWriter {
  /** A block without headers: all that a server has to say here. */
  empty(): Buffer
}

/**
 * Makes a writer for a connection: what it packs is stored as it is, which every inflater reads and
 * needs no compressor with a state.
 */
export function createHeaderWriter(): HeaderWriter {
  let begun = false
  return {
    empty() {
      const head = begun ? [] : zlibHead
      begun = true
      return Buffer.from([...head, ...storedZero])
    },
  }
}

/** Deflate with a window of 32 KiB, no dictionary. */
const zlibHead = [0x78, 0x01]
/**
 * A stored block of four bytes, and after it an empty one, which is what flushing makes: some
 * readers wait for it.
 */
const storedZero = [0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0xff, 0xff]
