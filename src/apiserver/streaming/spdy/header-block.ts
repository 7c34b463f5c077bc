import { Buffer } from 'node:buffer'
import { createInflate, type Inflate } from 'node:zlib'
import { headerDictionary } from './dictionary.ts'
import { SpdyError } from './frames.ts'

/** Headers of a stream: lower-case names and first values. */
export type SpdyHeaders = ReadonlyMap<string, string>

/** Limit of a decompressed header block. Those of Kubernetes are below a hundred bytes. */
const maximumBlock = 64 * 1024

/**
 * Decodes header blocks. All blocks of a connection are one compressed stream: none may be skipped,
 * and an error affects all later ones.
 */
export interface HeaderReader extends Disposable {
  /** Decodes one block at a time. @throws SpdyError */
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
      // Guards against decompression bombs.
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
    // Values of one name are separated by zero bytes.
    headers.set(name, text().split('\0', 1)[0] ?? '')
  }
  return headers
}

/** Encodes empty header blocks. */
export interface HeaderWriter {
  /** A block without headers, which is all that this server sends. */
  empty(): Buffer
}

/** Creates a writer of stored (uncompressed) blocks, which need no compressor state. */
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
/** A stored block of four bytes and an empty one, as a flush produces: some readers wait for it. */
const storedZero = [0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0xff, 0xff]
