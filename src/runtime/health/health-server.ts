import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from '../metrics/metrics.ts'
import type { MetricsAccess } from '../metrics/metrics-access.ts'

/** A health check. Rejecting, or resolving to a text, reports a failure. */
export type HealthCheck = () => Promise<string | undefined> | string | undefined

/** Dependencies and options of a health server. */
export interface HealthServerOptions {
  /** An address with a port (0 picks a free one), or a unix socket. */
  readonly address: { readonly host: string; readonly port: number } | { readonly unix: string }
  /**
   * `healthz` (also as `livez`): restart the process when it fails. `readyz`: send it no work. By
   * name.
   */
  readonly checks: { readonly healthz: Readonly<Record<string, HealthCheck>>; readonly readyz: Readonly<Record<string, HealthCheck>> }
  readonly metrics?: Metrics
  /**
   * Decides who may scrape. Default: no one may, except on a unix socket, which file permissions
   * protect.
   */
  readonly metricsAccess?: MetricsAccess
  /** Milliseconds after which a check counts as failed. Default 5 000. */
  readonly checkTimeoutMs?: number
}

/** Answers `/healthz`, `/livez`, `/readyz` and `/metrics`. */
export interface HealthServer extends AsyncDisposable {
  /** Undefined on a unix socket. */
  readonly port: number | undefined
}

/** Starts to answer. Rejects when the address is not free. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  // Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => void answerHealth(options, request, response))
  await listen(server, options.address)
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address as AddressInfo).port : undefined,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function listen(server: Server, address: HealthServerOptions['address']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen('unix' in address ? { path: address.unix } : { host: address.host, port: address.port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

interface Answer {
  readonly code: number
  readonly type: string
  readonly text: string
}

/** Answers a request that another server has received, by the same options. Never rejects. */
export async function answerHealth(options: HealthServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Any local client may connect and send malformed requests.
  const url = URL.parse(request.url ?? '/', 'http://localhost')
  const { code, type, text } =
    url === null
      ? plain(400, 'bad request')
      : await respond(options, url, request.headers.authorization).catch((error: unknown) => plain(500, String(error)))
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-cache, private' })
  response.end(request.method === 'HEAD' ? undefined : text)
}

async function respond(options: HealthServerOptions, url: URL, authorization: string | undefined): Promise<Answer> {
  const { checks, metrics, checkTimeoutMs = 5_000 } = options
  const verbose = url.searchParams.has('verbose')
  switch (url.pathname) {
    case '/healthz':
    case '/livez':
      return runChecks(checks.healthz, verbose, checkTimeoutMs)
    case '/readyz':
      return runChecks(checks.readyz, verbose, checkTimeoutMs)
    case '/metrics': {
      if (metrics === undefined) return plain(404, 'no metrics')
      const refusal = 'unix' in options.address ? undefined : await (options.metricsAccess ?? refuseAll)(authorization, url.pathname)
      if (refusal !== undefined) return plain(refusal.code, refusal.text)
      return { code: 200, type: metrics.contentType, text: await metrics.metrics() }
    }
    default:
      return plain(404, 'not found')
  }
}

const refuseAll: MetricsAccess = async () => ({ code: 403, text: 'Metrics are not available here\n' })

async function runChecks(checks: Readonly<Record<string, HealthCheck>>, verbose: boolean, timeoutMs: number): Promise<Answer> {
  const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => ({ name, problem: await run(check, timeoutMs) })))
  const failed = results.some(({ problem }) => problem !== undefined)
  if (!failed && !verbose) return plain(200, 'ok')
  const lines = results.map(({ name, problem }) => (problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`))
  return plain(failed ? 500 : 200, [...lines, failed ? 'check failed' : 'check passed', ''].join('\n'))
}

async function run(check: HealthCheck, timeoutMs: number): Promise<string | undefined> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve(`no answer within ${timeoutMs} ms`), timeoutMs)
  try {
    return await Promise.race([check(), late.promise])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}

function plain(code: number, text: string): Answer {
  return { code, type: 'text/plain; charset=utf-8', text }
}
