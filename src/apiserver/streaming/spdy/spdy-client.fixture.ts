import { once } from 'node:events'
import { duplexPair, type Duplex } from 'node:stream'
import { constants, createDeflate } from 'node:zlib'
import { headerDictionary } from './dictionary.ts'
import { controlFrame, controlTypes, dataFrame, finFlag, readFrames, type SpdyFrame } from './frames.ts'

/** A SPDY client that compresses headers as real ones do, and records what it receives. */
export interface SpdyTestClient {
  readonly server: Duplex
  readonly transport: Duplex
  readonly frames: readonly SpdyFrame[]
  open(id: number, headers: Readonly<Record<string, string>>, flags?: number): Promise<void>
  send(id: number, text: string | Uint8Array, fin?: boolean): void
  /** Received text of a stream. */
  received(id: number): string
  /** Resolves when the condition holds. */
  until(condition: () => boolean): Promise<void>
}

/** Encodes a header block without compression. */
export function headerBytes(headers: Readonly<Record<string, string>>): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const text = (value: string): Buffer[] => [number(Buffer.byteLength(value)), Buffer.from(value)]
  const entries = Object.entries(headers)
  return Buffer.concat([number(entries.length), ...entries.flatMap(([name, value]) => [...text(name), ...text(value)])])
}

export function createSpdyTestClient(): SpdyTestClient {
  const [transport, server] = duplexPair()
  const frames: SpdyFrame[] = []
  const deflate = createDeflate({ dictionary: headerDictionary })
  const pack = async (block: Buffer): Promise<Buffer> => {
    const chunks: Buffer[] = []
    const collect = (chunk: Buffer): void => void chunks.push(chunk)
    deflate.on('data', collect)
    deflate.write(block)
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve))
    deflate.off('data', collect)
    return Buffer.concat(chunks)
  }
  let changed = Promise.withResolvers<void>()
  void (async () => {
    for await (const frame of readFrames(transport as AsyncIterable<Uint8Array>)) {
      frames.push(frame)
      changed.resolve()
      changed = Promise.withResolvers<void>()
    }
  })().catch(() => {})
  return {
    server,
    transport,
    frames,
    async open(id, headers, flags = 0) {
      const head = Buffer.alloc(10)
      head.writeUInt32BE(id)
      transport.write(controlFrame(controlTypes.synStream, flags, Buffer.concat([head, await pack(headerBytes(headers))])))
    },
    send(id, text, fin = false) {
      transport.write(dataFrame(id, fin ? finFlag : 0, Buffer.from(text as string)))
    },
    received: (id) =>
      Buffer.concat(frames.flatMap((frame) => (frame.kind === 'data' && frame.streamId === id ? [frame.payload] : []))).toString(),
    async until(condition) {
      while (!condition()) await Promise.race([changed.promise, once(transport, 'close')])
    },
  }
}
