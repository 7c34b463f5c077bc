import { readFile } from 'node:fs/promises'
import { connect, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2'
import { join } from 'node:path'
import type { TestMachine } from '../test/support/machine.ts'
import { percentile } from './measure.ts'

/** Throughput, and latencies in milliseconds. */
export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** `3687/s, p50 25.1 ms, p99 83.0 ms`. */
export function formatLoad({ perSecond, p50, p99 }: Load): string {
  return `${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
}

/** Address of a machine's API server, and the administrator's credentials. */
export interface Administrator {
  readonly server: string
  readonly options: SecureClientSessionOptions
}

export async function administratorOf(machine: TestMachine): Promise<Administrator> {
  const pki = join(machine.home, 'pki')
  const [ca, identity] = await Promise.all(['ca.crt', 'admin.pem'].map((name) => readFile(join(pki, name))))
  const server = /server: (\S+)/.exec(await readFile(join(machine.home, 'kubeconfig'), 'utf8'))?.[1] ?? ''
  return { server, options: { ca, cert: identity, key: identity } as SecureClientSessionOptions }
}

/**
 * Lets so many clients do one thing after another until all is done, over up to four connections.
 */
export async function drive(
  { server, options }: Administrator,
  { clients, count }: { readonly clients: number; readonly count: number },
  write: (session: ClientHttp2Session, index: number) => Promise<void>,
): Promise<Load> {
  const sessions = Array.from({ length: Math.min(4, clients) }, () => connect(server, options))
  let next = 0
  const latencies: number[] = []
  const client = async (session: ClientHttp2Session): Promise<void> => {
    while (next < count) {
      const index = next++
      const started = performance.now()
      await write(session, index)
      latencies.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: clients }, (_, index) => client(sessions[index % sessions.length] as ClientHttp2Session)))
  const seconds = (performance.now() - started) / 1000
  for (const session of sessions) session.close()
  // The first tenth warms both sides up.
  const settled = latencies.slice(Math.floor(latencies.length / 10))
  return { perSecond: count / seconds, p50: percentile(settled, 0.5), p99: percentile(settled, 0.99) }
}

/** One request with a body. Rejects for any other status than the wanted one. */
export function exchange(
  session: ClientHttp2Session,
  { method = 'POST', path, type, body }: { method?: string; path: string; type: string; body: Buffer },
  wanted: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, 'content-type': type, te: 'trailers' })
    let status = 0
    let answer = ''
    stream.on('response', (headers) => (status = Number(headers[':status'])))
    stream.on('data', (chunk: Buffer) => (answer += status === wanted ? '' : chunk.toString()))
    stream.on('error', reject)
    stream.on('end', () => (status === wanted ? resolve() : reject(new Error(`${path} answered ${status}: ${answer.slice(0, 300)}`))))
    stream.end(body)
  })
}
