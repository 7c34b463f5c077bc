import type { Duplex } from 'node:stream'
import { serveSpdy } from '#apiserver/streaming/spdy/spdy-connection.ts'
import type { SpdyStream } from '#apiserver/streaming/spdy/spdy-stream.ts'
import { splice } from '#apiserver/streaming/splice.ts'
import type { ConnectPort } from './connect-port.ts'

/** Time in which a client must open both streams of a connection. */
const pairingMs = 30_000

/**
 * Forwards connections, each with an error stream and a data stream of the client. Settles when the
 * client has disconnected.
 */
export async function serveSpdyPortForward(transport: Duplex, connect: ConnectPort): Promise<void> {
  const waiting = new Map<string, { readonly stream: SpdyStream; readonly timer: NodeJS.Timeout }>()
  const connection = serveSpdy(transport, (stream) => {
    const type = stream.headers.get('streamtype')
    const port = Number(stream.headers.get('port'))
    if ((type !== 'data' && type !== 'error') || !Number.isInteger(port) || port < 1 || port > 65_535) return void stream.destroy()
    // Old clients send no request ID and open the error stream just before the data stream.
    const request = stream.headers.get('requestid') ?? String(type === 'error' ? stream.id : stream.id - 2)
    const other = waiting.get(request)
    if (other === undefined) {
      const timer = setTimeout(() => stream.destroy(), pairingMs)
      waiting.set(request, { stream, timer })
      stream.once('close', () => {
        clearTimeout(timer)
        if (waiting.get(request)?.stream === stream) waiting.delete(request)
      })
      return
    }
    if (other.stream.headers.get('streamtype') === type) return void stream.destroy()
    clearTimeout(other.timer)
    waiting.delete(request)
    void (type === 'data' ? forward(stream, other.stream, port, connect) : forward(other.stream, stream, port, connect))
  })
  await connection.closed
}

/** Forwards one connection. Errors go to its error stream. */
async function forward(data: SpdyStream, error: SpdyStream, port: number, connect: ConnectPort): Promise<void> {
  error.resume()
  let target: Duplex
  try {
    target = await connect(port)
  } catch (cause) {
    error.end(cause instanceof Error ? cause.message : String(cause))
    data.resume()
    data.end()
    return
  }
  await splice(data, target)
  if (!error.writableEnded) error.end()
}
