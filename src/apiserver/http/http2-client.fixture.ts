import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2'
import { createInterface } from 'node:readline'
import type { TestServer } from '#apiserver/api-server.fixture.ts'

/** An answer. */
export interface TestAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. */
  readonly value: unknown
}

/** Optional parts of a request. */
export interface TestRequest {
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** An HTTP/2 connection to a test server. */
export interface TestClient extends Disposable {
  readonly session: ClientHttp2Session
  request(method: string, path: string, request?: TestRequest): Promise<TestAnswer>
  /** Starts a watch. */
  watch(path: string, headers?: Record<string, string>): { readonly stream: ClientHttp2Stream; readonly events: AsyncIterator<TestEvent> }
}

export interface TestEvent {
  readonly type: string
  readonly object: Record<string, unknown>
}

/** Connects as the administrator, with a bearer token, or (empty token) anonymously. */
export function connectTo({ server, authority, admin }: Pick<TestServer, 'server' | 'authority' | 'admin'>, token?: string): TestClient {
  const session = connect(server.url, { ca: authority.cert, ...(token === undefined ? admin : {}) })
  session.on('error', () => {})
  const authorization: Record<string, string> = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }
  return {
    session,
    request(method, path, { headers = {}, body } = {}) {
      const endStream = body === undefined && (method === 'GET' || method === 'HEAD')
      const stream = session.request({ ':method': method, ':path': path, ...authorization, ...headers }, { endStream })
      const sent = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
      stream.end(sent)
      return new Promise((resolve, reject) => {
        let answered: IncomingHttpHeaders = {}
        const chunks: Buffer[] = []
        stream.on('response', (received) => (answered = received))
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', reject)
        stream.on('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({
            status: Number(answered[':status']),
            headers: answered,
            bytes,
            text: bytes.toString(),
            get value() {
              return JSON.parse(bytes.toString()) as unknown
            },
          })
        })
      })
    },
    watch(path, headers = {}) {
      const stream = session.request({ ':path': path, ...authorization, ...headers })
      stream.on('error', () => {})
      const lines = createInterface({ input: stream })[Symbol.asyncIterator]()
      const events: AsyncIterator<TestEvent> = {
        async next() {
          const line = await lines.next()
          return line.done === true ? { done: true, value: undefined } : { done: false, value: JSON.parse(line.value) as TestEvent }
        },
      }
      return { stream, events }
    },
    [Symbol.dispose]: () => session.destroy(),
  }
}
