import { PassThrough, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { WebSocket } from 'ws'
import { type ChannelProtocol, decodeMessage, encodeMessage } from '#apiserver/streaming/channels/web-socket-protocol.ts'
import { closedWebSocket } from '#apiserver/streaming/web-socket.ts'
import { whenWritable } from '#apiserver/streaming/when-writable.ts'
import type { ConnectPort } from './connect-port.ts'

/**
 * Serves the older protocol of browsers and `@kubernetes/client-node`: one connection for each port
 * in the URL. Port number i has channel 2i for data and 2i + 1 for errors; each begins with the
 * port, two bytes in little-endian order.
 */
export async function serveWebSocketPortForward(
  webSocket: WebSocket,
  protocol: ChannelProtocol,
  ports: readonly number[],
  connect: ConnectPort,
): Promise<void> {
  const inputs = ports.map(() => new PassThrough())
  webSocket.on('message', (message: Buffer) => {
    const decoded = decodeMessage(protocol, message)
    if (decoded === undefined || decoded.channel % 2 === 1) return
    const input = inputs[decoded.channel / 2]
    if (input === undefined || input.destroyed || input.write(decoded.data)) return
    webSocket.pause()
    whenWritable(input, () => webSocket.resume())
  })
  const say = (channel: number, data: Uint8Array, done?: (error?: Error) => void): void =>
    webSocket.send(encodeMessage(protocol, channel, data), done ?? (() => {}))
  ports.forEach((port, index) => {
    for (const channel of [2 * index, 2 * index + 1]) say(channel, Uint8Array.of(port & 0xff, port >> 8))
  })
  const gone = closedWebSocket(webSocket)
  const forward = async (port: number, index: number): Promise<void> => {
    const input = inputs[index]
    if (input === undefined) return
    try {
      const target = await connect(port)
      void gone.then(() => target.destroy())
      const output = new Writable({ write: (chunk: Buffer, _encoding, done) => say(2 * index, chunk, done) })
      await Promise.all([pipeline(input, target), pipeline(target, output)])
    } catch (error) {
      say(2 * index + 1, Buffer.from(error instanceof Error ? error.message : String(error)))
    } finally {
      input.destroy()
    }
  }
  await Promise.all(ports.map(forward))
  // The protocol cannot close a single port, so the connection closes with the last one.
  webSocket.close(1000)
  await gone
}
