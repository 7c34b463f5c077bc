import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { loadInClusterConfig, loadKubeconfig } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-file.ts'

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
  return {
    path,
    write(name: string, content: string | object): string {
      const file = join(path, name)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function config(user: object, cluster: object = { server: 'https://a:6443' }): object {
  return {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'n' } }],
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user }],
  }
}

test('loadKubeconfig() reads embedded data from YAML', async () => {
  using files = folder()
  const path = files.write(
    'config',
    `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: {cluster: local, user: me}
clusters:
- name: local
  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: ${base64('CA')}, tls-server-name: kubernetes}
users:
- name: me
  user: {client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}}
`,
  )
  const access = await loadKubeconfig({ path, env: {} })
  assert.equal(access.context, 'dev')
  assert.equal(access.namespace, 'default')
  assert.equal(access.http.server, 'https://127.0.0.1:6443')
  assert.equal(access.http.certificateAuthority, 'CA')
  assert.equal(access.http.serverName, 'kubernetes')
  assert.deepEqual(await access.http.credentials?.({ refresh: false }), { certificate: 'CERT', key: 'KEY' })
})

test('loadKubeconfig() merges the files of KUBECONFIG, the first one that has an entry wins, and paths start at their file', async () => {
  using files = folder()
  const first = files.write('one/config', { 'current-context': 'c', users: [{ name: 'u', user: { tokenFile: 'token' } }] })
  files.write('one/token', ' secret \n')
  files.write('two/ca.pem', 'CA of two')
  const second = files.write('two/config', config({ token: 'ignored' }, { server: 'https://b', 'certificate-authority': 'ca.pem' }))
  const access = await loadKubeconfig({ env: { KUBECONFIG: `${first}:${join(files.path, 'missing')}:${second}` } })
  assert.equal(access.http.certificateAuthority, 'CA of two')
  assert.equal(access.namespace, 'n')
  assert.deepEqual(await access.http.credentials?.({ refresh: false }), { bearerToken: 'secret' })
})

test('loadKubeconfig() reads credential files again when the server refuses them, and keeps the old ones while files are missing', async () => {
  using files = folder()
  const token = files.write('token', 'one')
  const { http } = await loadKubeconfig({ path: files.write('config', config({ tokenFile: token })), env: {} })
  assert.deepEqual(await http.credentials?.({ refresh: false }), { bearerToken: 'one' })
  files.write('token', 'two')
  assert.deepEqual(await http.credentials?.({ refresh: false }), { bearerToken: 'one' })
  assert.deepEqual(await http.credentials?.({ refresh: true }), { bearerToken: 'two' })
  rmSync(token)
  assert.deepEqual(await http.credentials?.({ refresh: true }), { bearerToken: 'two' })
})

test('loadKubeconfig() runs an exec plugin once per credential', async () => {
  using files = folder()
  const script = files.write(
    'plugin',
    `echo run >> ${join(files.path, 'runs')}
n=$(wc -l < ${join(files.path, 'runs')})
printf '{"kind":"ExecCredential","status":{"token":"%s-%s-%s","expirationTimestamp":"%s"}}' "$1" "$GREETING" "$n" "$EXPIRY"`,
  )
  const plugin = (expiry: string): object =>
    config({
      exec: {
        command: 'sh',
        args: [script, 'arg'],
        env: [
          { name: 'GREETING', value: 'hi' },
          { name: 'EXPIRY', value: expiry },
        ],
      },
    })
  const env = { PATH: process.env['PATH'] }
  const lasting = await loadKubeconfig({ path: files.write('config', plugin('2999-01-01T00:00:00Z')), env })
  assert.equal((await lasting.http.credentials?.({ refresh: false }))?.bearerToken, 'arg-hi-1')
  assert.equal((await lasting.http.credentials?.({ refresh: false }))?.bearerToken, 'arg-hi-1')
  assert.equal((await lasting.http.credentials?.({ refresh: true }))?.bearerToken, 'arg-hi-2')
  const failing = await loadKubeconfig({ path: files.write('bad', config({ exec: { command: 'false' } })), env })
  await assert.rejects(failing.http.credentials?.({ refresh: false }) ?? Promise.resolve(), KubeconfigError)
})

test('loadKubeconfig() names missing and unsupported fields', async () => {
  using files = folder()
  const cases = [
    { name: 'no file at all', load: () => loadKubeconfig({ env: { HOME: files.path } }) },
    { name: 'the named file is missing', load: () => loadKubeconfig({ path: join(files.path, 'none'), env: {} }) },
    { name: 'no YAML', load: () => loadKubeconfig({ path: files.write('a', 'a: [b'), env: {} }) },
    { name: 'no mapping', load: () => loadKubeconfig({ path: files.write('b', '- a'), env: {} }) },
    { name: 'no current context', load: () => loadKubeconfig({ path: files.write('c', ''), env: {} }) },
    { name: 'no such context', load: () => loadKubeconfig({ path: files.write('d', config({})), env: {}, context: 'other' }) },
    { name: 'no server', load: () => loadKubeconfig({ path: files.write('e', config({}, {})), env: {} }) },
    {
      name: 'proxy',
      load: () => loadKubeconfig({ path: files.write('f', config({}, { server: 'https://a', 'proxy-url': 'socks5://b' })), env: {} }),
    },
    {
      name: 'auth provider',
      load: () => loadKubeconfig({ path: files.write('g', config({ 'auth-provider': { name: 'gcp' } })), env: {} }),
    },
    { name: 'password', load: () => loadKubeconfig({ path: files.write('h', config({ username: 'a', password: 'b' })), env: {} }) },
    {
      name: 'missing CA file',
      load: () => loadKubeconfig({ path: files.write('i', config({}, { server: 'https://a', 'certificate-authority': 'x' })), env: {} }),
    },
  ]
  for (const { name, load } of cases) await assert.rejects(load(), KubeconfigError, name)
})

test('loadKubeconfig() finds the cluster that a pod runs in', async () => {
  using files = folder()
  files.write('token', 'pod-token')
  files.write('ca.crt', 'CA')
  files.write('namespace', 'kubevirt')
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }
  const access = await loadInClusterConfig({ env, directory: files.path })
  assert.equal(access.http.server, 'https://[fd00::1]:6443')
  assert.equal(access.namespace, 'kubevirt')
  assert.deepEqual(await access.http.credentials?.({ refresh: false }), { bearerToken: 'pod-token' })
  const found = await loadKubeconfig({ env: { ...env, HOME: files.path } })
  assert.equal(found.context, 'in-cluster')
})
