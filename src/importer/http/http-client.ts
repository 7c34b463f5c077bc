import { Agent as HttpsAgent, request as httpsRequest, type AgentOptions } from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { freeChunk } from '../chunk.ts'
import { ImportFailure } from '../failure.ts'
import { answerFailure, connectionFailure } from './http-failure.ts'

// See docs/decisions/0008-node-http-by-getbuiltinmodule.md.
const { Agent, request: httpRequest } = process.getBuiltinModule('node:http')

/** One request. `headers` are meant for the server of `url` only, and so not sent elsewhere. */
export interface HttpRequest {
  readonly url: URL
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  /** Headers without secrets, which are sent to servers of redirects, too. */
  readonly publicHeaders?: Readonly<Record<string, string>>
  /** Statuses that the caller understands. Others are failures. Default: 200. */
  readonly accept?: readonly number[]
}

/** Answer of a server, with a body that has not been read. */
export interface HttpAnswer {
  /** After redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
}

/** Sends requests and follows redirects. */
export interface HttpClient extends Disposable {
  /** @throws ImportFailure */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>
}

/** Parameters of {@link createHttpClient}. */
export interface HttpClientOptions {
  /** PEM certificates of authorities, in addition to those that Node knows. */
  readonly authorities: readonly string[]
  readonly insecureSkipVerify: boolean
  /** Milliseconds without an answer after which a server is given up. */
  readonly idleMs: number
  /** Variables such as HTTPS_PROXY and NO_PROXY. */
  readonly proxies?: Readonly<Record<string, string | undefined>>
  /** A peer: only its authority counts, and it asks for a certificate. */
  readonly peer?: { readonly name: string; readonly certificate: string; readonly key: string }
}

const maxRedirects = 10

/**
 * Creates a client over Node's own HTTP, since `fetch` takes neither authorities nor the order to
 * skip verification.
 */
export function createHttpClient({ authorities, insecureSkipVerify, idleMs, proxies = {}, peer }: HttpClientOptions): HttpClient {
  const proxyEnv = proxies as NodeJS.ProcessEnv
  const shared = { keepAlive: false, proxyEnv }
  const plain = new Agent(shared)
  const tls: AgentOptions = { ...shared, rejectUnauthorized: !insecureSkipVerify }
  const secure = new HttpsAgent(
    peer === undefined
      ? authorities.length === 0
        ? tls
        : { ...tls, ca: withSystemAuthorities(authorities) }
      : { ...tls, ca: [...authorities], cert: peer.certificate, key: peer.key, servername: peer.name },
  )

  function once(url: URL, method: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method, headers: { 'user-agent': 'steadyvm-importer', 'accept-encoding': 'identity', ...headers }, signal }
      const request =
        url.protocol === 'https:' ? httpsRequest(url, { ...options, agent: secure }) : httpRequest(url, { ...options, agent: plain })
      // Covers the connection and the head of the answer; those who read the body watch it.
      const timer = setTimeout(() => {
        const seconds = Math.round(idleMs / 1000)
        request.destroy(
          new ImportFailure('SourceStalled', `"${url.host}" gave no answer for ${seconds} s: check the server and the network to it`),
        )
      }, idleMs)
      request.once('response', (response) => {
        clearTimeout(timer)
        // The parser, which is told first, has copied what is in them.
        response.socket.on('data', freeChunk)
        resolve(response)
      })
      request.once('error', (error) => {
        clearTimeout(timer)
        reject(signal.aborted || error instanceof ImportFailure ? error : connectionFailure(url, error))
      })
      request.end()
    })
  }

  return {
    async send({ url: first, method = 'GET', headers = {}, publicHeaders = {}, accept = [200] }, signal) {
      let url = checkedUrl(first)
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const isOwn = url.origin === first.origin
        const body = await once(url, method, { ...publicHeaders, ...(isOwn ? headers : {}) }, signal)
        const status = body.statusCode ?? 0
        const { location } = body.headers
        if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
          if (accept.includes(status)) return { url, status, headers: body.headers, body }
          throw await answerFailure(url, body)
        }
        body.destroy()
        url = redirected(url, location)
      }
      throw new ImportFailure(
        'RedirectRefused',
        `"${first.host}" redirects more than ${maxRedirects} times: use the address that the file is really at`,
      )
    },
    [Symbol.dispose]() {
      plain.destroy()
      secure.destroy()
    },
  }
}

/** Node knows the authorities of the web; those of a ConfigMap are added to them. */
function withSystemAuthorities(authorities: readonly string[]): string[] {
  return [...process.getBuiltinModule('node:tls').getCACertificates('default'), ...authorities]
}

/** @throws ImportFailure for other protocols than HTTP */
function checkedUrl(url: URL): URL {
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new ImportFailure('TaskInvalid', `Cannot read "${url.protocol}//…": only http and https are read from servers`)
}

/**
 * Where a redirect leads. Never to another protocol than HTTP, and never from HTTPS to plain HTTP:
 * what was asked for over a secure connection must not come over another one.
 */
function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from)
  if (to === null)
    throw new ImportFailure('RedirectRefused', `"${from.host}" redirects to what is no address: use the address that the file is really at`)
  if (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')) return to
  throw new ImportFailure(
    'RedirectRefused',
    `"${from.host}" redirects from ${from.protocol.slice(0, -1)} to ${to.protocol.slice(0, -1)}, which is not followed: use an address without that redirect`,
  )
}
