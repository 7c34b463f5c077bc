import { Buffer } from 'node:buffer'

/** Supported types of control frames. Others are skipped, as the protocol requires. */
export const controlTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const

/** Reasons of a reset. */
export const resetCodes = {
  protocolError: 1,
  invalidStream: 2,
  refusedStream: 3,
  cancel: 5,
  internalError: 6,
  flowControlError: 7,
} as const

/** Marks the last frame of a stream in this direction. */
export const finFlag = 0x01

const version = 3
const headerBytes = 8
const streamIdMask = 0x7fff_ffff
const lengthMask = 0x00ff_ffff
/** Limit of a frame's payload in bytes. Clients of Kubernetes send 32 KiB. */
const maximumPayload = 1024 * 1024

/** One frame with an undecoded payload. */
export type SpdyFrame =
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Buffer }
  | { readonly kind: 'data'; readonly streamId: number; readonly flags: number; readonly payload: Buffer }

/** The client violates SPDY/3. The connection cannot continue. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError'
}

/** Encodes a data frame. */
export function dataFrame(streamId: number, flags: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt32BE(streamId & streamIdMask, 0)
  frame.writeUInt32BE(payload.length, 4)
  frame.writeUInt8(flags, 4)
  frame.set(payload, headerBytes)
  return frame
}

/** Encodes a control frame. */
export function controlFrame(type: number, flags: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt16BE(0x8000 | version, 0)
  frame.writeUInt16BE(type, 2)
  frame.writeUInt32BE(payload.length, 4)
  frame.writeUInt8(flags, 4)
  frame.set(payload, headerBytes)
  return frame
}

/** Encodes a control frame of numbers. */
export function numbersFrame(type: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * numbers.length)
  numbers.forEach((number, index) => payload.writeUInt32BE(number >>> 0, 4 * index))
  return controlFrame(type, 0, payload)
}

/** Splits a byte stream into frames. Buffers at most one frame. @throws SpdyError */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<SpdyFrame> {
  let chunks: Uint8Array[] = []
  let kept = 0
  let needed = headerBytes
  for await (const chunk of source) {
    chunks.push(chunk)
    kept += chunk.length
    if (kept < needed) continue
    let rest = Buffer.concat(chunks)
    for (needed = sizeOf(rest); rest.length >= needed; needed = sizeOf(rest)) {
      yield frameIn(rest.subarray(0, needed))
      rest = rest.subarray(needed)
    }
    chunks = [rest]
    kept = rest.length
  }
  if (kept > 0) throw new SpdyError('the connection ended in the middle of a frame')
}

/** Size of the first frame, or of its head while incomplete. */
function sizeOf(bytes: Buffer): number {
  if (bytes.length < headerBytes) return headerBytes
  const length = bytes.readUInt32BE(4) & lengthMask
  if (length > maximumPayload) throw new SpdyError(`a frame carries at most ${maximumPayload} bytes, not ${length}`)
  return headerBytes + length
}

function frameIn(bytes: Buffer): SpdyFrame {
  const first = bytes.readUInt32BE(0)
  const flags = bytes.readUInt8(4)
  const payload = bytes.subarray(headerBytes)
  if (first < 0x8000_0000) return { kind: 'data', streamId: first & streamIdMask, flags, payload }
  const spoken = (first >>> 16) & 0x7fff
  if (spoken !== version) throw new SpdyError(`the protocol is SPDY/${version}, not SPDY/${spoken}`)
  return { kind: 'control', type: first & 0xffff, flags, payload }
}

/** Reads a number from a control frame. @throws SpdyError when the payload is too short */
export function numberAt(payload: Buffer, offset: number): number {
  if (payload.length < offset + 4) throw new SpdyError('a control frame is too short')
  return payload.readUInt32BE(offset)
}
