import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ImportFailure } from '../failure.ts'
import type { Progress } from '../progress.ts'

/** Parameters of {@link startWorkerServer}. */
export interface WorkerServerOptions {
  /** Folder with `tls.crt`, `tls.key` and `ca.crt`. */
  readonly serving: string
  readonly host: string
  readonly port: number
  readonly progress: Progress
  /** Answers all other paths. */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void
}

/** A server that runs. */
export interface WorkerServer extends AsyncDisposable {
  readonly port: number
}

const reloadMs = 60_000

/**
 * Starts the server of a worker. Only clients with a certificate of the authority get an answer at
 * all, and renewed certificates are taken over. @throws ImportFailure
 */
export async function startWorkerServer({ serving, host, port, progress, otherwise }: WorkerServerOptions): Promise<WorkerServer> {
  const server = createServer(
    {
      ...(await readTls(serving)),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      requestTimeout: 0,
      headersTimeout: 10_000,
    },
    (request, response) => {
      response.on('error', () => {})
      if (URL.parse(request.url ?? '/', 'https://worker')?.pathname !== '/progress') {
        if (otherwise !== undefined) return otherwise(request, response)
        response.writeHead(404).end()
        return
      }
      const isGet = request.method === 'GET'
      response.writeHead(isGet ? 200 : 405, { 'content-type': 'application/json' })
      response.end(isGet ? JSON.stringify(progress.read()) : '')
    },
  )
  server.listen(port, host)
  await once(server, 'listening')
  let version = await versionOf(serving)
  const reloading = setInterval(() => void reload().catch(() => {}), reloadMs).unref()
  async function reload(): Promise<void> {
    const now = await versionOf(serving)
    if (now === version) return
    server.setSecureContext(await readTls(serving))
    version = now
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      clearInterval(reloading)
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 1_000).unref()
      await once(server, 'close')
    },
  }
}

async function readTls(folder: string): Promise<{ readonly cert: string; readonly key: string; readonly ca: string }> {
  try {
    const [cert = '', key = '', ca = ''] = await Promise.all(
      ['tls.crt', 'tls.key', 'ca.crt'].map((name) => readFile(join(folder, name), 'utf8')),
    )
    return { cert, key, ca }
  } catch (cause) {
    throw new ImportFailure(
      'TaskInvalid',
      `The worker has no certificate in "${folder}" (${(cause as Error).message}): mount its Secret there`,
      {
        cause,
        fatal: false,
      },
    )
  }
}

async function versionOf(folder: string): Promise<string> {
  const states = await Promise.all(['tls.crt', 'tls.key', 'ca.crt'].map((name) => stat(join(folder, name)).catch(() => undefined)))
  return states.map((state) => `${state?.mtimeMs}-${state?.ino}`).join(' ')
}
