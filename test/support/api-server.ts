import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedApi, type EmbeddedApiOptions, startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import type { StaticToken } from '#apiserver/authentication/bearer-tokens.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'

/**
 * An API server in this process, without controllers, in a temporary directory. Disposal removes
 * it.
 */
export interface TestApi extends AsyncDisposable {
  readonly api: EmbeddedApi
  /** Directory for files of the test. */
  readonly directory: string
  /**
   * Path of a kubeconfig with the contexts `admin` (the current one), `nobody` (no rights), and one
   * for each token's user.
   */
  readonly kubeconfig: string
}

/** Options of {@link startTestApi}. */
export interface TestApiOptions extends Pick<EmbeddedApiOptions, 'audit' | 'admission'> {
  readonly tokens?: readonly StaticToken[]
}

/** Starts a server. Its database is not synced, because no test cuts the power. */
export async function startTestApi({ tokens = [], ...options }: TestApiOptions = {}): Promise<TestApi> {
  const directory = await mkdtemp(join(tmpdir(), 'steadyvm-api-'))
  const authority = await createTestAuthority()
  const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
  const api = await startEmbeddedApi({
    database: join(directory, 'state.db'),
    synchronous: 'NORMAL',
    port: 0,
    tls: { ...serving, clientCa: authority.cert },
    tokens,
    ...options,
    version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
    now: () => Date.now(),
    random: () => randomInt(2 ** 32) / 2 ** 32,
    log: { info: () => {}, warn: () => {}, error: (fields, message) => console.error(message, fields) },
  })
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const cluster = { server: api.server.url, 'certificate-authority-data': base64(authority.cert) }
  const users = [
    { name: 'admin', user: { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) } },
    { name: 'nobody', user: {} },
    ...tokens.map(({ username, token }) => ({ name: username, user: { token } })),
  ]
  const kubeconfig = join(directory, 'kubeconfig')
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'admin',
    contexts: users.map(({ name }) => ({ name, context: { cluster: 'test', user: name, namespace: 'default' } })),
    clusters: [{ name: 'test', cluster }],
    users,
  }
  await writeFile(kubeconfig, JSON.stringify(content), { mode: 0o600 })
  return {
    api,
    directory,
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
