import { Buffer } from 'node:buffer'

/**
 * Frames of one session between kubelet and API server, on a connection of its own: a channel (one
 * byte), a length (four bytes, most significant first) and that many bytes. An empty data frame
 * closes its channel.
 */
export const channels = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  /** A `v1` Status as JSON, the last word of the kubelet. */
  status: 3,
  /** `{"width":80,"height":24}`. */
  resize: 4,
  /**
   * Four bytes: how many more bytes of stdin the kubelet takes. Nothing is sent without such leave,
   * so that neither side ever stops to listen.
   */
  credit: 5,
} as const

/** Number of a channel. */
export type Channel = (typeof channels)[keyof typeof channels]

/** One frame. */
export interface ChannelFrame {
  readonly channel: Channel
  readonly payload: Buffer
}

/** Name of the protocol in the Upgrade header. */
export const channelProtocol = 'steadyvm-channels'

/** Bytes that one frame may carry. */
export const maximumPayload: number = 64 * 1024

/** The other side does not keep to the protocol. */
export class ChannelFrameError extends Error {
  override readonly name = 'ChannelFrameError'
}

const headerBytes = 5
const knownChannels: ReadonlySet<number> = new Set(Object.values(channels))

/** The bytes of a frame. @throws ChannelFrameError when the payload is too long */
export function encodeFrame(channel: Channel, payload: Uint8Array): Buffer {
  if (payload.length > maximumPayload) throw new ChannelFrameError(`a frame carries at most ${maximumPayload} bytes, not ${payload.length}`)
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt8(channel, 0)
  frame.writeUInt32BE(payload.length, 1)
  frame.set(payload, headerBytes)
  return frame
}

/** Splits a byte stream into frames. Buffers at most one frame. @throws ChannelFrameError */
export async function* decodeFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<ChannelFrame> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    while (rest.length >= headerBytes) {
      const channel = rest.readUInt8(0)
      const length = rest.readUInt32BE(1)
      if (!knownChannels.has(channel)) throw new ChannelFrameError(`there is no channel ${channel}`)
      if (length > maximumPayload) throw new ChannelFrameError(`a frame carries at most ${maximumPayload} bytes, not ${length}`)
      if (rest.length < headerBytes + length) break
      yield { channel: channel as Channel, payload: rest.subarray(headerBytes, headerBytes + length) }
      rest = rest.subarray(headerBytes + length)
    }
  }
  if (rest.length > 0) throw new ChannelFrameError('the connection ended in the middle of a frame')
}
