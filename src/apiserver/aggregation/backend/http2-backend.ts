import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type BackendAnswer, type BackendRequest, headerList, type HeaderList } from './backend.ts'

/** One HTTP/2 connection to a backend. */
export interface Http2Connection {
  /** True if it has a free stream. */
  readonly free: boolean
  readonly closed: boolean
  /** Number of running requests. */
  readonly running: number
  request(request: BackendRequest, authority: string): Promise<BackendAnswer>
  close(): void
}

/**
 * Go servers allow 250 streams. Requests beyond a server's limit would queue behind watches that
 * never end.
 */
const defaultStreams = 100
/**
 * Milliseconds of silence after which a connection is pinged, and then closed without an answer.
 */
const pingAfterMs = 30_000
const pingPatienceMs = 15_000

/** Speaks HTTP/2 on a connection that negotiated it. `onClose` is called once. */
export function http2Connection(socket: TLSSocket, onClose: () => void): Http2Connection {
  const session = connect('https://backend', { createConnection: () => socket, maxSessionMemory: 256 })
  let running = 0
  let closed = false
  const close = (): void => {
    if (closed) return
    closed = true
    clearInterval(pings)
    onClose()
  }
  session.on('error', () => session.destroy())
  session.on('goaway', close)
  session.on('close', close)
  const pings = setInterval(() => ping(session), pingAfterMs).unref()
  // Idle connections do not keep the process alive.
  session.unref()

  return {
    get free() {
      return !closed && running < (session.remoteSettings?.maxConcurrentStreams ?? defaultStreams)
    },
    get closed() {
      return closed
    },
    get running() {
      return running
    },
    request({ method, path, headers, body, signal }, authority) {
      const stream = session.request(
        { ':method': method, ':path': path, ':authority': authority, ...outgoing(headers) },
        { endStream: body === undefined, signal },
      )
      running += 1
      stream.once('close', () => (running -= 1))
      // Not `pipeline`, which would destroy the client's side when the backend stops reading,
      // before the answer is sent.
      body?.pipe(stream)
      return answerOf(stream)
    },
    close: () => session.destroy(),
  }
}

function ping(session: ClientHttp2Session): void {
  if (session.destroyed || session.closed) return
  const patience = setTimeout(() => session.destroy(), pingPatienceMs).unref()
  session.ping(() => clearTimeout(patience))
}

function answerOf(stream: ClientHttp2Stream): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject)
    stream.once('close', () => reject(new Error('the connection was closed before an answer came')))
    stream.once('response', ({ ':status': status = 502, ...headers }) => resolve({ status, headers: headerList(headers), body: stream }))
  })
}

function outgoing(headers: HeaderList): OutgoingHttpHeaders {
  const result: Record<string, string | string[]> = {}
  for (const [name, value] of headers) {
    const before = result[name]
    result[name] = before === undefined ? value : [before, value].flat()
  }
  return result
}
