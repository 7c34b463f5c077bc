import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import { type Loose, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { createServiceAddress } from './service-address.ts'

// The plugin needs the server's store, so it is created after the server.
async function withAddresses(work: (server: TestServer) => Promise<void>): Promise<void> {
  let plugin: AdmissionPlugin | undefined
  const late: AdmissionPlugin = { name: 'late', mutate: (request) => plugin?.mutate?.(request) }
  await using server = await startTestServer([late])
  plugin = createServiceAddress({ store: server.store, now: server.time.now, random: () => 0 })
  await work(server)
}

const service = (name: string, spec: object = {}): Loose => ({
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }], ...spec },
})
const specOf = (object: Loose): Record<string, unknown> => object.spec as Record<string, unknown>
const refusal = (message: string) => (error: Error) => {
  assert.equal(error.message, message)
  return true
}

suite('createServiceAddress()', () => {
  test('sets an address and defaults, and keeps them on a replace without them', () =>
    withAddresses(async (server) => {
      const made = await server.create('services', service('a'))
      assert.deepEqual(specOf(made), {
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
        clusterIP: '127.96.0.1',
        clusterIPs: ['127.96.0.1'],
      })
      assert.deepEqual(made.status, { loadBalancer: {} })
      const next = await server.update('services', service('a', { ports: [{ port: 81 }] }))
      assert.equal(specOf(next)['clusterIP'], '127.96.0.1')
    }))

  test('never assigns an address twice to concurrent creates', () =>
    withAddresses(async (server) => {
      const made = await Promise.all(Array.from({ length: 50 }, (_, index) => server.create('services', service(`s${index}`))))
      assert.equal(new Set(made.map((one) => specOf(one)['clusterIP'])).size, 50)
    }))

  test('grants a requested address that is free, also after its owner is deleted', () =>
    withAddresses(async (server) => {
      const wanted = { clusterIP: '127.96.0.9' }
      await server.create('services', service('a', wanted))
      const taken =
        'Service "b" is invalid: spec.clusterIPs: Invalid value: ["127.96.0.9"]: failed to allocate IP 127.96.0.9: provided IP is already allocated'
      await assert.rejects(server.create('services', service('b', wanted)), refusal(taken))
      await server.verbs.delete(server.target('services', 'a'), { dryRun: false }, server.context)
      await server.create('services', service('b', wanted))
    }))

  test('assigns node ports, and frees them when the type changes', () =>
    withAddresses(async (server) => {
      const made = await server.create('services', service('a', { type: 'NodePort' }))
      const { ports, externalTrafficPolicy } = specOf(made)
      assert.deepEqual([ports, externalTrafficPolicy], [[{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30_000 }], 'Cluster'])
      const same = await server.update('services', service('a', { type: 'NodePort' }))
      assert.deepEqual(specOf(same)['ports'], ports)
      const back = await server.update('services', { ...same, spec: { ...specOf(same), type: 'ClusterIP' } })
      assert.deepEqual(specOf(back)['ports'], [{ port: 80, protocol: 'TCP', targetPort: 80 }])
      const named = await server.update('services', service('a', { type: 'ExternalName', externalName: 'example.org', ports: undefined }))
      assert.equal(specOf(named)['clusterIP'], undefined)
    }))

  test('frees everything when the type becomes ExternalName', () =>
    withAddresses(async (server) => {
      const made = await server.create('services', service('a', { type: 'NodePort' }))
      const spec = { ...specOf(made), type: 'ExternalName', externalName: 'example.org', clusterIP: '' }
      const { ports, clusterIP, clusterIPs } = specOf(await server.update('services', { ...made, spec }))
      assert.deepEqual([ports, clusterIP, clusterIPs], [[{ port: 80, protocol: 'TCP', targetPort: 80 }], undefined, undefined])
    }))

  const invalid: { name: string; spec: object; says: string }[] = [
    { name: 'no ports', spec: { ports: [] }, says: 'spec.ports: Required value' },
    {
      name: 'an impossible port',
      spec: { ports: [{ port: 0, targetPort: 1 }] },
      says: 'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    },
    { name: 'ports without names', spec: { ports: [{ port: 1, name: 'a' }, { port: 2 }] }, says: 'spec.ports[1].name: Required value' },
    {
      name: 'the same name twice',
      spec: {
        ports: [
          { port: 1, name: 'a' },
          { port: 2, name: 'a' },
        ],
      },
      says: 'spec.ports[1].name: Duplicate value: "a"',
    },
    {
      name: 'an unknown type',
      spec: { type: 'X' },
      says: 'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    },
    {
      name: 'a node port without its type',
      spec: { ports: [{ port: 1, nodePort: 30_001 }] },
      says: "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    },
    { name: 'an external name without name', spec: { type: 'ExternalName' }, says: 'spec.externalName: Required value' },
    {
      name: 'an address of others',
      spec: { clusterIP: '10.0.0.1' },
      says: 'spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: the provided IP (10.0.0.1) is not in the valid range. The range of valid IPs is 127.96.0.0/12',
    },
  ]
  for (const { name, spec, says } of invalid) {
    test(`refuses ${name}`, () =>
      withAddresses(async (server) => {
        await assert.rejects(server.create('services', service('a', spec)), refusal(`Service "a" is invalid: ${says}`))
      }))
  }

  test('keeps the address immutable', () =>
    withAddresses(async (server) => {
      const made = await server.create('services', service('a'))
      const changed = { ...made, spec: { ...specOf(made), clusterIP: '127.96.0.9', clusterIPs: ['127.96.0.9'] } }
      const says = 'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["127.96.0.9"]: may not change once set'
      await assert.rejects(server.update('services', changed), refusal(says))
    }))

  test('is what assigns addresses: without the plugin there are none', () =>
    startTestServer().then(async (server) => {
      await using _server = server
      assert.equal(specOf(await server.create('services', service('a')))['clusterIP'], undefined)
    }))
})
