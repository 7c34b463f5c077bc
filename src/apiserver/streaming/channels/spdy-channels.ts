import type { Duplex } from 'node:stream'
import { badRequest } from '#apimachinery/errors.ts'
import type { TerminalSize } from '#apiserver/streaming/node-streams.ts'
import { serveSpdy } from '#apiserver/streaming/spdy/spdy-connection.ts'
import type { SpdyStream } from '#apiserver/streaming/spdy/spdy-stream.ts'
import { type ClientChannels, parseSize, plainEnd, type WantedStreams } from './client-channels.ts'

/** Features of a protocol version. */
interface SpdyProtocol {
  readonly name: string
  /** True if the error stream contains a Status with the exit code. */
  readonly status: boolean
  readonly resize: boolean
}

/** Supported versions. Without a choice of the client, the last applies. */
export const spdyProtocols: readonly SpdyProtocol[] = [
  { name: 'v5.channel.k8s.io', status: true, resize: true },
  { name: 'v4.channel.k8s.io', status: true, resize: true },
  { name: 'v3.channel.k8s.io', status: false, resize: true },
  { name: 'v2.channel.k8s.io', status: false, resize: false },
  { name: 'channel.k8s.io', status: false, resize: false },
]

/** Time in which a client must open all streams. */
const openingMs = 30_000
/** Time in which a client must read the last output. */
const goodbyeMs = 60_000

/**
 * Accepts one SPDY stream per channel. Resolves when all are open. @throws StatusError 400 when
 * they are not
 */
export async function spdyChannels(transport: Duplex, name: string, wanted: WantedStreams): Promise<ClientChannels> {
  const protocol = spdyProtocols.find((known) => known.name === name)
  const expected = new Set(['error'])
  for (const type of ['stdin', 'stdout', 'stderr'] as const) if (wanted[type]) expected.add(type)
  if (wanted.tty && protocol?.resize === true) expected.add('resize')
  const streams = new Map<string, SpdyStream>()
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
  const connection = serveSpdy(transport, (stream) => {
    const type = stream.headers.get('streamtype') ?? ''
    if (!expected.has(type) || streams.has(type)) return void stream.destroy()
    streams.set(type, stream)
    if (streams.size === expected.size) resolve()
  })
  void connection.closed.then(() => reject(badRequest('the client has gone')))
  const impatience = setTimeout(() => connection.destroy(), openingMs)
  await opened.finally(() => clearTimeout(impatience))

  const sizes = streams.get('resize')
  return {
    stdin: streams.get('stdin'),
    stdout: streams.get('stdout'),
    stderr: streams.get('stderr'),
    onResize: (listener) => {
      if (sizes !== undefined) readSizes(sizes, listener)
    },
    async finish(status) {
      const words = protocol?.status === true ? JSON.stringify(status) : plainEnd(status)
      streams.get('error')?.end(words)
      for (const stream of streams.values()) if (!stream.writableEnded) stream.end()
      await connection.end(goodbyeMs)
    },
    closed: connection.closed,
  }
}

/** Sizes are consecutive flat JSON objects. */
function readSizes(stream: SpdyStream, listener: (size: TerminalSize) => void): void {
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const size = parseSize(text.slice(0, end + 1))
      if (size !== undefined) listener(size)
      text = text.slice(end + 1)
    }
    // Too long for a size.
    if (text.length > 1000) text = ''
  })
}
