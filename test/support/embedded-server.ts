import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { runCommand } from './kubectl.ts'

/** Output of a command, both streams merged as on a terminal, and its exit code. */
export interface Run {
  readonly code: number
  readonly output: string
}

/** An API server in this process, and its administrator. Disposal removes all of its files. */
export interface EmbeddedServer extends AsyncDisposable {
  readonly directory: string
  /** Runs kubectl against the server. */
  run(kubectl: string, args: readonly string[], input?: string): Promise<Run>
}

export async function startEmbeddedServer(): Promise<EmbeddedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'embedded-'))
  const authority = await createTestAuthority()
  const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
  const api = await startEmbeddedApi({
    database: join(directory, 'state.db'),
    synchronous: 'NORMAL',
    port: 0,
    tls: { ...serving, clientCa: authority.cert },
    version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
    now: () => Date.now(),
    random: () => randomInt(2 ** 32) / 2 ** 32,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
    clusters: [{ name: 'test', cluster: { server: api.server.url, 'certificate-authority-data': base64(authority.cert) } }],
    users: [{ name: 'admin', user: { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) } }],
  }
  await writeFile(join(directory, 'kubeconfig'), JSON.stringify(kubeconfig))
  return {
    directory,
    async run(kubectl, args, input = '') {
      const own = ['--kubeconfig', join(directory, 'kubeconfig'), '--cache-dir', join(directory, kubectl.replaceAll('/', '-'))]
      const { code, stdout, stderr } = await runCommand(kubectl, [...own, ...args], { input, env: process.env })
      return { code, output: stdout + stderr }
    },
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
