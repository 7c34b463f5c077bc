import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startTestServer } from '../endpoints/verbs.fixture.ts'
import { createEndpointFinder } from './endpoint-finder.ts'
import { createServiceResolver } from './service-resolver.ts'

const labels = { 'kubernetes.io/service-name': 'web' }

suite('createServiceResolver()', () => {
  test('resolves a ready endpoint by service port, and an ExternalName', async () => {
    await using server = await startTestServer()
    const resolve = createServiceResolver(createEndpointFinder(server.store))
    const ports = [
      { name: 'https', port: 443, targetPort: 8443 },
      { name: 'metrics', port: 9090 },
    ]
    await server.create('services', { metadata: { namespace: 'default', name: 'web' }, spec: { ports } })
    assert.equal(resolve('default', 'web', 443), undefined)
    await server.create('endpointslices', {
      metadata: { namespace: 'default', name: 'web-1', labels },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: 8443 }],
      endpoints: [
        { addresses: ['127.0.0.2'], conditions: { ready: false } },
        { addresses: ['127.0.0.3'], conditions: { ready: true } },
      ],
    })
    assert.deepEqual(resolve('default', 'web', 443), { host: '127.0.0.3', port: 8443 })
    for (const port of [9090, 80]) assert.equal(resolve('default', 'web', port), undefined)
    assert.equal(resolve('default', 'other', 443), undefined)
    const spec = { type: 'ExternalName', externalName: 'example.org' }
    await server.create('services', { metadata: { namespace: 'default', name: 'out' }, spec })
    assert.deepEqual(resolve('default', 'out', 443), { host: 'example.org', port: 443 })
  })
})
