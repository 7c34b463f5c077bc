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
  const ask = (path: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const probe = request({ host: '127.0.0.1', port, path, agent, timeout: 2_000 }, (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (body += chunk))
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body }))
        response.on('error', reject)
      })
      probe.on('timeout', () => probe.destroy(new Error('it does not answer within 2 s')))
      probe.on('error', reject)
      probe.end()
    })
  return {
    [Symbol.dispose]: () => agent.destroy(),
    async check() {
      try {
        const { code, body } = await ask('/readyz')
        if (code === 200) return undefined
        const reasons = await Promise.all(failedChecks(body).map(async (name) => describe(name, await ask(`/readyz/${name}`))))
        return `it answers ${code}: ${reasons.length === 0 ? body.trim() : reasons.join('; ')}`
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return 'nothing listens'
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}

interface Answer {
  readonly code: number
  readonly body: string
}

/** Names the failed checks in the answer of `/readyz`, which withholds the reasons. */
function failedChecks(body: string): string[] {
  return [...body.matchAll(/^\[-\](\S+) failed/gm)].map((match) => match[1] ?? '')
}

/** Adds the reason that the endpoint of a check gives; none when it passes by now. */
function describe(name: string, { body }: Answer): string {
  const reason = body.replace(/^internal server error: /, '').trim()
  return reason === 'ok' ? name : `${name} failed: ${reason}`
}
