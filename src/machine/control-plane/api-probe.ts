import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import type { Pki } from '../pki/pki.ts'

/**
 * Asks an API server for its readiness, with the admin's certificate and nothing loaded that a bare
 * HTTPS request does not need.
 */
export interface ApiProbe extends Disposable {
  /** Undefined when ready, else why not. */
  check(): Promise<string | undefined>
}

/** A probe for the cluster on this machine. */
export async function createApiProbe(port: number, pki: Pki): Promise<ApiProbe> {
  const [ca, cert, key] = await Promise.all([pki.ca.certificate, pki.admin.certificate, pki.admin.key].map((file) => readFile(file)))
  // One connection for all probes: handshakes would take the CPU from the server that is starting.
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

/** The failed checks of a `/readyz`, or its whole text. */
function failedChecks(body: string): string {
  const failed = body.split('\n').filter((line) => line.startsWith('[-]'))
  return failed.length === 0 ? body.trim() : failed.map((line) => line.slice('[-]'.length)).join('; ')
}
