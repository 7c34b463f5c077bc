import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { connectTo } from './http/http2-client.fixture.ts'
import { createTestAuthority } from './http/tls.fixture.ts'
import { versionInfo } from './discovery/version.ts'
import { startEmbeddedApi } from './embedded-api.ts'
import { emptyDisk, fillDisk, mountSmall } from './storage/small-disk.fixture.ts'
import { scratch } from './storage/store.fixture.ts'

const json = { 'content-type': 'application/json' }
const path = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, value = ''): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } })

test(
  'startEmbeddedApi() reads on a full disk, refuses writes, and finishes its start when there is space',
  { timeout: 60_000 },
  async (t) => {
    using directory = scratch()
    using mounted = mountSmall(directory.path)
    if (mounted === undefined) return t.skip('needs the right to mount a small file system')
    const authority = await createTestAuthority()
    const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
    const start = (clientCa: string) =>
      startEmbeddedApi({
        database: directory.file,
        synchronous: 'NORMAL',
        port: 0,
        tls: { ...serving, clientCa },
        version: versionInfo('test', { commit: '', date: '2026-01-01T00:00:00Z', platform: 'linux/amd64' }),
        now: () => Date.now(),
        random: () => 0.5,
        log: { info: () => {}, warn: () => {}, error: () => {} },
      })
    {
      await using first = await start(authority.cert)
      const client = connectTo({ server: first.server, authority, admin })
      assert.equal((await client.request('POST', path, { headers: json, body: configMap('a') })).status, 201)
      client[Symbol.dispose]()
    }
    fillDisk(directory.path)
    // The second CA must be published in a ConfigMap, which cannot be written now.
    const second = await createTestAuthority('second')
    await using api = await start(`${authority.cert}\n${second.cert}`)
    const client = connectTo({ server: api.server, authority, admin })
    const ask = (method: string, url: string, body?: object) =>
      client.request(method, url, body === undefined ? {} : { headers: json, body })
    assert.equal((await ask('GET', `${path}/a`)).status, 200)
    assert.match((await ask('GET', path)).text, /"name":"a"/)
    assert.equal((await ask('GET', '/livez')).status, 200)
    const refused = await ask('POST', path, configMap('b', 'x'.repeat(100_000)))
    assert.equal(refused.status, 500)
    assert.match(refused.text, /the disk is full; free some space: writes resume by themselves/)
    const unready = await ask('GET', '/readyz')
    assert.equal(unready.status, 500)
    assert.match(unready.text, /\[-\]storage failed: reason withheld/)
    assert.match((await ask('GET', '/readyz/storage')).text, /^internal server error: writing to .*the disk is full/)
    assert.match(unready.text, /\[-\]poststarthook\/extension-apiserver-authentication failed: /)
    emptyDisk(directory.path)
    while ((await ask('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal((await ask('POST', path, configMap('b', randomUUID()))).status, 201)
    const published = await ask('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')
    assert.ok(JSON.stringify(published.value).includes(second.cert.split('\n')[1] ?? 'none'))
    client[Symbol.dispose]()
  },
)
