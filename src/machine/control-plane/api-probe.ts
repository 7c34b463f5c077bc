import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import type { Pki } from '../pki/pki.ts'

/**
 * Reads `/readyz` with the administrator's certificate. Loads nothing but Node's HTTPS client,
 * since it runs while the API server needs the CPU to start.
 */
export interface ApiProbe extends Disposable {
  /** Returns undefined when ready, else the reason. */
  check(): Promise<string | undefined>
}

/** Creates a probe for the cluster on this machine. */
export async function createApiProbe(port: number, pki: Pki): Promise<ApiProbe> {
  const [ca, cert, key] = await Promise.all([pki.ca.certificate, pki.admin.certificate, pki.admin.key].map((file) => readFile(file)))
  // All probes share one connection: handshakes would slow down the server's start.
  const agent = new Agent({ ca, cert, key, keepAlive: true, maxSockets: 1 })
  return {
    [Symbol.dispose]: () => agent.destroy(),
    check: () =>
      new Promise((resolve) => {
        const probe = request({ host: '127.0.0.1', port, path: '/readyz', agent, timeout: 2_000 }, (response) => {
          let body = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (body += chunk))
          response.on('end', () =>
            resolve(response.statusCode === 200 ? undefined : `it answers ${response.statusCode}: ${failedChecks(body)}`),
          )
          response.on('error', (error) => resolve(error.message))
        })
        probe.on('timeout', () => probe.destroy(new Error('it does not answer within 2 s')))
        probe.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'nothing listens' : error.message))
        probe.end()
      }),
  }
}

/** Extracts the failed checks from the answer of `/readyz`. */
function failedChecks(body: string): string {
  const failed = body.split('\n').filter((line) => line.startsWith('[-]'))
  return failed.length === 0 ? body.trim() : failed.map((line) => line.slice('[-]'.length)).join('; ')
}
