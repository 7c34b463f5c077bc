import { Buffer } from 'node:buffer'

/** Message format of a WebSocket sub-protocol: the first byte is the channel, the rest is data. */
export interface ChannelProtocol {
  readonly name: string
  /** Text frames with the channel as a digit and base64 data, for old browsers. */
  readonly base64: boolean
  /** True if the error channel contains a Status with the exit code. */
  readonly status: boolean
  /** True if channel 255 closes the channel named by its data byte. */
  readonly halfClose: boolean
}

/** The oldest protocol. */
export const plainChannels: ChannelProtocol = { name: 'channel.k8s.io', base64: false, status: false, halfClose: false }

/** Supported protocols. Without a choice of the client, the first applies. */
export const channelProtocols: readonly ChannelProtocol[] = [
  plainChannels,
  { name: 'base64.channel.k8s.io', base64: true, status: false, halfClose: false },
  { name: 'v4.channel.k8s.io', base64: false, status: true, halfClose: false },
  { name: 'v4.base64.channel.k8s.io', base64: true, status: true, halfClose: false },
  { name: 'v5.channel.k8s.io', base64: false, status: true, halfClose: true },
]

/** Channel numbers. */
export const channelNumbers = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const

/** A message of a channel. */
export interface ChannelMessage {
  readonly channel: number
  readonly data: Buffer
}

/** Encodes a WebSocket message. */
export function encodeMessage({ base64 }: ChannelProtocol, channel: number, data: Uint8Array): string | Buffer {
  if (base64) return `${channel}${Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')}`
  const message = Buffer.allocUnsafe(data.length + 1)
  message[0] = channel
  message.set(data, 1)
  return message
}

/** Decodes a WebSocket message; undefined for an empty one, which clients may send. */
export function decodeMessage({ base64 }: ChannelProtocol, message: Buffer): ChannelMessage | undefined {
  const [first] = message
  if (first === undefined) return undefined
  if (!base64) return { channel: first, data: message.subarray(1) }
  return { channel: first - 0x30, data: Buffer.from(message.toString('latin1', 1), 'base64') }
}
