import { Buffer } from 'node:buffer'

/**
 * How messages of a WebSocket sub-protocol are made: the first byte is the channel, the rest is
 * data.
 */
export interface ChannelProtocol {
  readonly name: string
  /** Text frames with the channel as a digit and the data in base64: for browsers of old. */
  readonly base64: boolean
  /** The error channel carries a Status, which tells the exit code too. */
  readonly status: boolean
  /** Channel 255 closes the channel that its one byte of data names. */
  readonly halfClose: boolean
}

/** The first one that there was. */
export const plainChannels: ChannelProtocol = { name: 'channel.k8s.io', base64: false, status: false, halfClose: false }

/** What we speak. A client that names no protocol means the first. */
export const channelProtocols: readonly ChannelProtocol[] = [
  plainChannels,
  { name: 'base64.channel.k8s.io', base64: true, status: false, halfClose: false },
  { name: 'v4.channel.k8s.io', base64: false, status: true, halfClose: false },
  { name: 'v4.base64.channel.k8s.io', base64: true, status: true, halfClose: false },
  { name: 'v5.channel.k8s.io', base64: false, status: true, halfClose: true },
]

/** Numbers of the channels. */
export const channelNumbers = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const

/** One message of a channel. */
export interface ChannelMessage {
  readonly channel: number
  readonly data: Buffer
}

/** What to send as one WebSocket message. */
export function encodeMessage({ base64 }: ChannelProtocol, channel: number, data: Uint8Array): string | Buffer {
  if (base64) return `${channel}${Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')}`
  const message = Buffer.allocUnsafe(data.length + 1)
  message[0] = channel
  message.set(data, 1)
  return message
}

/** Undefined for an empty message, which means nothing. */
export function decodeMessage({ base64 }: ChannelProtocol, message: Buffer): ChannelMessage | undefined {
  const [first] = message
  if (first === undefined) return undefined
  if (!base64) return { channel: first, data: message.subarray(1) }
  return { channel: first - 0x30, data: Buffer.from(message.toString('latin1', 1), 'base64') }
}
