import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type AggregationTest, startAggregationTest } from '../aggregation.fixture.ts'
import { type ExtensionServer, startExtensionServer } from '../extension-server.fixture.ts'

const nothing = { remainders: [], failures: [] }

suite('Remote content of a terminating namespace', () => {
  let environment: AggregationTest
  let extension: ExtensionServer
  before(async () => {
    environment = await startAggregationTest()
    extension = await startExtensionServer({ certificate: environment.certificate, requestHeaderCa: environment.requestHeader.cert })
    await environment.expose(extension.port)
    await environment.register()
    await environment.untilAvailable('True', 'Passed')
  })
  after(async () => {
    await environment[Symbol.asyncDispose]()
    await extension[Symbol.asyncDispose]()
  })

  test('is deleted', async () => {
    assert.deepEqual(await environment.api.server.collectRemoteContent('dev'), nothing)
    assert.deepEqual(extension.flunders, [])
    const deletion = extension.received.find(({ method }) => method === 'DELETE')
    assert.equal(deletion?.url, '/apis/example.test/v1/namespaces/dev/flunders?propagationPolicy=Background')
    assert.equal(deletion.headers['x-remote-user'], 'system:serviceaccount:kube-system:namespace-controller')
  })

  test('is reported while finalizers keep it', async () => {
    extension.flunders = [{ metadata: { name: 'held', finalizers: ['example.test/x'] } }]
    assert.deepEqual(await environment.api.server.collectRemoteContent('dev'), {
      remainders: [{ resource: 'flunders.example.test', count: 1, finalizers: new Map([['example.test/x', 1]]) }],
      failures: [],
    })
  })

  test('does not block the namespace when its server is down', async () => {
    extension.flunders = [{ metadata: { name: 'lost' } }]
    await extension[Symbol.asyncDispose]()
    const { failures } = await environment.api.server.collectRemoteContent('dev')
    assert.match(failures[0] ?? '', /^flunders\.example\.test: .*ECONNREFUSED/)
    await environment.untilAvailable('False', 'FailedDiscoveryCheck')
    assert.deepEqual(await environment.api.server.collectRemoteContent('dev'), nothing)
  })
})
