import { PassThrough, Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { TerminalSize } from '#apiserver/streaming/node-streams.ts'
import { closedWebSocket, closeWebSocket } from '#apiserver/streaming/web-socket.ts'
import { whenWritable } from '#apiserver/streaming/when-writable.ts'
import { type ClientChannels, parseSize, plainEnd, type WantedStreams } from './client-channels.ts'
import { channelNumbers, type ChannelProtocol, decodeMessage, encodeMessage } from './web-socket-protocol.ts'

/** Multiplexes all channels over one WebSocket. */
export function webSocketChannels(webSocket: WebSocket, protocol: ChannelProtocol, wanted: WantedStreams): ClientChannels {
  const stdin = wanted.stdin ? new PassThrough() : undefined
  let lastSize: TerminalSize | undefined
  let tellSize: ((size: TerminalSize) => void) | undefined

  const onStdin = (data: Buffer): void => {
    if (stdin === undefined || stdin.writableEnded || stdin.destroyed || stdin.write(data)) return
    // All channels share the connection, so a process that does not read blocks its own client
    // only.
    webSocket.pause()
    whenWritable(stdin, () => webSocket.resume())
  }
  webSocket.on('message', (message: Buffer) => {
    const decoded = decodeMessage(protocol, message)
    if (decoded === undefined) return
    const { channel, data } = decoded
    if (channel === channelNumbers.stdin) onStdin(data)
    else if (channel === channelNumbers.close && protocol.halfClose && data[0] === channelNumbers.stdin) stdin?.end()
    else if (channel === channelNumbers.resize) {
      const size = parseSize(data.toString())
      if (size === undefined) return
      lastSize = size
      tellSize?.(size)
    }
  })
  webSocket.once('close', () => stdin?.destroy())

  const output = (channel: number): Writable =>
    new Writable({ write: (chunk: Buffer, _encoding, done) => webSocket.send(encodeMessage(protocol, channel, chunk), done) })
  // An empty message signals the start of the session.
  const first = wanted.stdout ? channelNumbers.stdout : wanted.stderr ? channelNumbers.stderr : channelNumbers.error
  webSocket.send(encodeMessage(protocol, first, new Uint8Array()))
  return {
    stdin,
    stdout: wanted.stdout ? output(channelNumbers.stdout) : undefined,
    stderr: wanted.stderr ? output(channelNumbers.stderr) : undefined,
    onResize(listener) {
      tellSize = listener
      if (lastSize !== undefined) listener(lastSize)
    },
    async finish(status) {
      const words = protocol.status ? JSON.stringify(status) : plainEnd(status)
      if (words !== '') webSocket.send(encodeMessage(protocol, channelNumbers.error, Buffer.from(words)), () => {})
      await closeWebSocket(webSocket)
    },
    closed: closedWebSocket(webSocket),
  }
}
