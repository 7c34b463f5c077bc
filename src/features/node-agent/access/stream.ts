import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** Bytes for a client that reads slowly, after which its source waits or its output is left out. */
const bufferedBytes = 1 << 20
/** Milliseconds between pings, and after which a client that answers none is gone. */
const pingMs = 20_000

/** Connects to a unix socket of QEMU. */
export function connectStream(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.removeListener('error', reject)
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

/** Options of {@link exchange}. */
export interface ExchangeOptions {
  /**
   * True for a console: output that a slow client does not read is left out, because a guest waits
   * for its serial port. Otherwise the source waits.
   */
  readonly mayDrop: boolean
}

/**
 * Copies bytes between a WebSocket and a stream of QEMU until one of them ends. Text messages are
 * ignored, as in KubeVirt.
 */
export function exchange(client: WebSocket, stream: Duplex, { mayDrop }: ExchangeOptions): void {
  let dropped = 0
  stream.on('data', (chunk: Buffer) => {
    if (mayDrop && client.bufferedAmount > bufferedBytes) return void (dropped += chunk.length)
    if (dropped > 0) {
      client.send(Buffer.from(`\r\n[${dropped} bytes of output left out: this connection reads too slowly]\r\n`))
      dropped = 0
    }
    client.send(chunk, { binary: true }, () => {
      if (stream.isPaused() && client.bufferedAmount < bufferedBytes / 2) stream.resume()
    })
    if (!mayDrop && client.bufferedAmount > bufferedBytes) stream.pause()
  })
  client.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary && !stream.write(data)) client.pause()
  })
  stream.on('drain', () => client.resume())
  let isAlive = true
  client.on('pong', () => (isAlive = true))
  const pings = setInterval(() => {
    if (!isAlive) return client.terminate()
    isAlive = false
    client.ping()
  }, pingMs)
  pings.unref()
  client.on('error', () => client.terminate())
  client.once('close', () => {
    clearInterval(pings)
    stream.destroy()
  })
  stream.once('close', () => client.close(1000))
}
