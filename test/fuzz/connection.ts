import { type ClientHttp2Session, connect } from 'node:http2'

/** Client certificate, as PEM. */
export interface Credentials {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Response to a request. Status 0: the stream was closed without one. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** A request. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends requests over HTTP/2, over a new connection whenever the server has closed the old one. */
export interface Connection extends Disposable {
  request(sent: Sent): Promise<Answer>
}

export function createConnection(port: number, credentials: Credentials): Connection {
  let session: ClientHttp2Session | undefined
  const open = (): ClientHttp2Session => {
    if (session !== undefined && !session.closed && !session.destroyed) return session
    session = connect(`https://127.0.0.1:${port}`, { ...credentials })
    session.on('error', () => {})
    session.setMaxListeners(0)
    return session
  }
  return {
    request({ method, path, headers = {}, body = '' }) {
      return new Promise((resolve) => {
        const stream = open().request({ ':method': method, ':path': path, ...headers }, { endStream: body.length === 0 })
        let status = 0
        const chunks: Buffer[] = []
        stream.on('response', (answered) => (status = Number(answered[':status'])))
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', () => {})
        stream.on('close', () => resolve({ status, body: Buffer.concat(chunks).toString() }))
        if (body.length > 0) stream.end(body)
      })
    },
    [Symbol.dispose]: () => session?.destroy(),
  }
}
