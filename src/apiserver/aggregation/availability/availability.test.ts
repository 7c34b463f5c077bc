import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { connectTo } from '#apiserver/http/http2-client.fixture.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { type AggregationTest, startAggregationTest } from '../aggregation.fixture.ts'
import { type ExtensionServer, startExtensionServer } from '../extension-server.fixture.ts'

const flunders = '/apis/example.test/v1/namespaces/dev/flunders'
const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

interface Discovery {
  items: { metadata: { name: string }; versions: { version: string; freshness: string; resources: { resource: string }[] }[] }[]
}

suite('Availability of an APIService', () => {
  let environment: AggregationTest
  let extension: ExtensionServer
  const start = (port = 0) =>
    startExtensionServer({ certificate: environment.certificate, requestHeaderCa: environment.requestHeader.cert, port })

  beforeEach(async () => {
    environment = await startAggregationTest()
    extension = await start()
  })
  afterEach(async () => {
    await environment[Symbol.asyncDispose]()
    await extension[Symbol.asyncDispose]()
    assert.deepEqual(environment.api.failures, [])
  })

  const patch = async (path: string, body: object): Promise<void> => {
    const answer = await environment.admin.request('PATCH', path, { headers: { 'content-type': 'application/merge-patch+json' }, body })
    assert.equal(answer.status, 200, answer.text)
  }
  const discovered = async (): Promise<Discovery['items'][number]['versions'][number] | undefined> => {
    const { value } = await environment.admin.request('GET', '/apis', { headers: { accept: discoveryType } })
    return (value as Discovery).items.find(({ metadata }) => metadata.name === 'example.test')?.versions[0]
  }

  test('names the missing prerequisite at each step', async () => {
    await environment.register()
    assert.equal(await environment.untilAvailable('False', 'ServiceNotFound'), 'service/extension in "dev" is not present')
    assert.deepEqual(await discovered(), { version: 'v1', resources: [], freshness: 'Stale' })
    const unavailable = await environment.admin.request('GET', flunders)
    assert.deepEqual(
      [unavailable.status, unavailable.headers['content-type'], unavailable.text],
      [503, 'text/plain; charset=utf-8', 'service unavailable\n'],
    )
    await environment.create('/api/v1/namespaces/dev/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'extension' },
      spec: { ports: [{ name: 'web', port: 80 }] },
    })
    assert.equal(await environment.untilAvailable('False', 'ServicePortError'), 'service/extension in "dev" is not listening on port 443')
    await patch('/api/v1/namespaces/dev/services/extension', { spec: { ports: [{ name: 'https', port: 443 }] } })
    assert.equal(
      await environment.untilAvailable('False', 'EndpointsNotFound'),
      'cannot find endpointslices for service/extension in "dev"',
    )
    const slices = '/apis/discovery.k8s.io/v1/namespaces/dev/endpointslices'
    await environment.create(slices, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'extension-1', labels: { 'kubernetes.io/service-name': 'extension' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: false } }],
      ports: [{ name: 'https', port: extension.port }],
    })
    const missing = 'endpointslices for service/extension in "dev" have no addresses with port name "https"'
    assert.equal(await environment.untilAvailable('False', 'MissingEndpoints'), missing)
    await patch(`${slices}/extension-1`, { endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }] })
    assert.equal(await environment.untilAvailable('True', 'Passed'), 'all checks passed')
    assert.equal((await environment.admin.request('GET', flunders)).status, 200)
    // Otherwise the next check would follow in half a minute.
    await patch(`${slices}/extension-1`, { endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: false } }] })
    assert.equal(await environment.untilAvailable('False', 'MissingEndpoints'), missing)
    await patch(`${slices}/extension-1`, { endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }] })
    await environment.untilAvailable('True', 'Passed')
    await environment.admin.request('DELETE', '/api/v1/namespaces/dev/services/extension')
    await environment.untilAvailable('False', 'ServiceNotFound')
    const probe = extension.received.find(({ url }) => url === '/apis/example.test/v1')
    assert.deepEqual([probe?.headers['x-remote-user'], probe?.headers['x-remote-group']], ['system:kube-aggregator', 'system:masters'])
  })

  test('follows the server down and up, as does discovery', async () => {
    await environment.expose(extension.port)
    await environment.register()
    await environment.untilAvailable('True', 'Passed')
    assert.equal((await discovered())?.freshness, 'Current')
    const { port } = extension
    await extension[Symbol.asyncDispose]()
    const cut = await environment.admin.request('GET', flunders)
    assert.equal(cut.status, 503)
    assert.match(
      await environment.untilAvailable('False', 'FailedDiscoveryCheck'),
      /^failing or missing response from https:\/\/127\.0\.0\.1:\d+\/apis\/example\.test\/v1: .*ECONNREFUSED/,
    )
    assert.equal((await environment.admin.request('GET', flunders)).text, 'service unavailable\n')
    const stale = await discovered()
    assert.deepEqual([stale?.freshness, stale?.resources.map(({ resource }) => resource)], ['Stale', ['flunders']])
    // Other groups are unaffected.
    assert.equal((await environment.admin.request('GET', '/apis/apps/v1')).status, 200)
    extension = await start(port)
    await environment.untilAvailable('True', 'Passed')
    assert.equal((await discovered())?.freshness, 'Current')
    assert.equal((await environment.admin.request('GET', flunders)).status, 200)
  })

  test('adds the group to the index and to the groups', async () => {
    await environment.expose(extension.port)
    await environment.register()
    await environment.untilAvailable('True', 'Passed')
    const { paths } = (await environment.admin.request('GET', '/')).value as { paths: string[] }
    for (const path of ['/api/v1', '/apis/apps', '/apis/apps/v1', '/apis/example.test', '/apis/example.test/v1', '/healthz'])
      assert.ok(paths.includes(path), path)
    const { groups } = (await environment.admin.request('GET', '/apis')).value as { groups: { name: string }[] }
    assert.ok(groups.some(({ name }) => name === 'example.test'))
    const group = (await environment.admin.request('GET', '/apis/example.test')).value as { preferredVersion: object }
    assert.deepEqual(group.preferredVersion, { groupVersion: 'example.test/v1', version: 'v1' })
  })

  test('requires a successful answer', async () => {
    extension.status = 500
    await environment.expose(extension.port)
    await environment.register()
    assert.match(
      await environment.untilAvailable('False', 'FailedDiscoveryCheck'),
      /bad status from https:\/\/127\.0\.0\.1:\d+\/apis\/example\.test\/v1: 500$/,
    )
    extension.status = 200
    await environment.untilAvailable('True', 'Passed')
  })

  test('requires a trusted certificate, unless insecureSkipTLSVerify is set', async () => {
    const stranger = await createTestAuthority('stranger')
    await environment.expose(extension.port)
    await environment.register({ caBundle: Buffer.from(stranger.cert).toString('base64') })
    assert.match(await environment.untilAvailable('False', 'FailedDiscoveryCheck'), /unable to verify|self-signed|certificate/)
    await patch('/apis/apiregistration.k8s.io/v1/apiservices/v1.example.test', { spec: { caBundle: null, insecureSkipTLSVerify: true } })
    await environment.untilAvailable('True', 'Passed')
  })

  test('is True at once for a local one, and again when its service is removed', async () => {
    await environment.register()
    await environment.untilAvailable('False', 'ServiceNotFound')
    await patch('/apis/apiregistration.k8s.io/v1/apiservices/v1.example.test', { spec: { service: null, caBundle: null } })
    assert.equal(await environment.untilAvailable('True', 'Local'), 'Local APIServices are always available')
    assert.equal((await environment.admin.request('GET', flunders)).status, 404)
  })

  test('of a hanging server delays no other', async () => {
    await environment.expose(extension.port)
    await environment.register()
    await environment.untilAvailable('True', 'Passed')
    const silent = Array.from({ length: 500 }, () => environment.admin.request('GET', `${flunders}/silence`).catch(() => undefined))
    // Earlier requests on the same connection have been sent.
    assert.equal((await environment.admin.request('GET', '/api/v1/namespaces/dev')).status, 200)
    using other = connectTo(environment.api)
    assert.equal((await other.request('GET', '/api/v1/namespaces/dev')).status, 200)
    environment.admin.session.destroy()
    await Promise.all(silent)
  })
})
