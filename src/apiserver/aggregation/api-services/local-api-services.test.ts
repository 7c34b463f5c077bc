import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { roles } from '#api/rbac/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { type EmbeddedApi, startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { connectTo } from '#apiserver/http/http2-client.fixture.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { automanagedLabel } from './decide-api-services.ts'

const definition = (versions: readonly string[]): KubeObject & { spec: object } => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.test' },
  spec: {
    group: 'example.test',
    scope: 'Cluster',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
  },
})

suite('registerLocalApiServices()', () => {
  const directory = mkdtempSync(join(tmpdir(), 'local-api-services-'))
  const failures: unknown[] = []
  let authority: Awaited<ReturnType<typeof createTestAuthority>>
  let admin: Awaited<ReturnType<typeof authority.issue>>
  let api: EmbeddedApi

  const start = async (): Promise<EmbeddedApi> =>
    startEmbeddedApi({
      database: join(directory, 'state.db'),
      synchronous: 'NORMAL',
      port: 0,
      tls: { ...(await authority.issue('apiserver', [], true)), clientCa: authority.cert, proxyCa: 'PROXY CA' },
      version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      random: () => 0,
      log: { info: () => {}, warn: () => {}, error: (fields) => failures.push(fields) },
    })
  before(async () => {
    authority = await createTestAuthority()
    admin = await authority.issue('admin', ['system:masters'])
    api = await start()
  })
  after(async () => {
    await api[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true })
    assert.deepEqual(failures, [])
  })

  const client = () => api.client({ username: 'admin', groups: ['system:masters'] })
  /** Waits until the APIService matches; undefined when it must not exist. */
  const until = async (name: string, fits: (service: APIService | undefined) => boolean): Promise<APIService | undefined> => {
    const signal = AbortSignal.timeout(10_000)
    const look = async (): Promise<APIService | undefined> =>
      (await client().list(apiServices)).items.find((item) => item.metadata.name === name)
    const { metadata } = await client().list(apiServices)
    const found = await look()
    if (fits(found)) return found
    for await (const _ of client().watch(apiServices, { resourceVersion: metadata.resourceVersion ?? '', signal })) {
      const next = await look()
      if (fits(next)) return next
    }
    throw signal.reason
  }

  test('creates one for each served group version, all of them available', async () => {
    const apps = await until('v1.apps', (service) => service !== undefined)
    assert.deepEqual(apps?.metadata.labels, { [automanagedLabel]: 'onstart' })
    assert.deepEqual(apps?.spec, { group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 })
    assert.deepEqual(apps?.status?.conditions, [
      {
        type: 'Available',
        status: 'True',
        reason: 'Local',
        message: 'Local APIServices are always available',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ])
    const names = (await client().list(apiServices)).items.map(({ metadata }) => metadata.name)
    for (const name of ['v1.', 'v1.authorization.k8s.io', 'v1.apiextensions.k8s.io']) assert.ok(names.includes(name), name)
    assert.ok(!names.includes('v1.apiregistration.k8s.io'))
  })

  test('follows CustomResourceDefinitions, and leaves foreign APIServices alone', async () => {
    await client().create(customResourceDefinitions, definition(['v1', 'v1beta1']))
    const made = await until('v1beta1.example.test', (service) => service !== undefined)
    assert.deepEqual(made?.metadata.labels, { [automanagedLabel]: 'true' })
    assert.deepEqual([made?.spec?.groupPriorityMinimum, made?.spec?.versionPriority], [1000, 100])
    await client().delete(apiServices, { name: 'v1.example.test' })
    const again = await until('v1.example.test', (service) => service !== undefined)
    await client().update(apiServices, {
      ...(again ?? made ?? assert.fail()),
      metadata: { ...again?.metadata, labels: {} },
      spec: { group: 'example.test', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    })
    await client().delete(customResourceDefinitions, { name: 'gadgets.example.test' })
    await until('v1beta1.example.test', (service) => service === undefined)
    const theirs = await until('v1.example.test', (service) => service !== undefined)
    assert.equal(theirs?.spec?.groupPriorityMinimum, 1)
    await client().delete(apiServices, { name: 'v1.example.test' })
  })

  test('lets an APIService with a service replace a version, and restores the version after it', async () => {
    await client().create(customResourceDefinitions, definition(['v2']))
    const made = (await until('v2.example.test', (service) => service !== undefined)) ?? assert.fail()
    using http = connectTo({ server: api.server, authority, admin })
    assert.equal((await http.request('GET', '/apis/example.test/v2/gadgets')).status, 200)
    const service = { namespace: 'default', name: 'nobody' }
    await client().update(apiServices, {
      ...made,
      metadata: { ...made.metadata, labels: {} },
      spec: { ...(made.spec ?? assert.fail()), service },
    })
    assert.deepEqual((await http.request('GET', '/apis/example.test/v2/gadgets')).text, 'service unavailable\n')
    await client().delete(apiServices, { name: 'v2.example.test' })
    await until('v2.example.test', (found) => found !== undefined)
    assert.equal((await http.request('GET', '/apis/example.test/v2/gadgets')).status, 200)
    await client().delete(customResourceDefinitions, { name: 'gadgets.example.test' })
    await until('v2.example.test', (found) => found === undefined)
  })

  test('writes nothing at a start without changes', async () => {
    await until('v1.apps', (service) => service !== undefined)
    const { revision } = api.store
    await api[Symbol.asyncDispose]()
    api = await start()
    // Writes of the start have a smaller revision than this one.
    await client().create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'next' } })
    assert.equal(api.store.revision, revision + 1)
  })

  test('publishes the front proxy configuration', async () => {
    const { data } = await client().get(configMaps, { namespace: 'kube-system', name: 'extension-apiserver-authentication' })
    assert.deepEqual(data, {
      'client-ca-file': authority.cert,
      'requestheader-allowed-names': '[]',
      'requestheader-client-ca-file': 'PROXY CA',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    })
    const { rules } = await client().get(roles, { namespace: 'kube-system', name: 'extension-apiserver-authentication-reader' })
    assert.deepEqual(rules?.[0]?.resourceNames, ['extension-apiserver-authentication'])
  })
})
