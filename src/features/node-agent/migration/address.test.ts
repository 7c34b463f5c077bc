import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { migrationAddress, targetNameOf, type NodeAddresses } from './address.ts'

const at = (...addresses: string[]): NodeAddresses['interfaces'] => ({
  eth0: [{ address: '10.0.0.7', internal: false }],
  migration0: addresses.map((address) => ({ address, internal: false })),
})

suite('migrationAddress()', () => {
  const rows: readonly (readonly [string, NodeAddresses, string | undefined, string])[] = [
    ["is the agent's address", { pod: '10.0.0.7', interfaces: at('192.168.9.7') }, undefined, '10.0.0.7'],
    ['is in the network for migrations', { pod: '10.0.0.7', interfaces: at('fe80::7', '192.168.9.7') }, 'fast', '192.168.9.7'],
    ['of either family', { pod: '10.0.0.7', interfaces: at('fe80::7', 'fd00::7') }, 'fast', 'fd00::7'],
    ['is the configured address, with any networks', { chosen: '10.9.9.9', pod: '10.0.0.7', interfaces: at() }, 'fast', '10.9.9.9'],
    ['is loopback on a machine with all nodes', { pod: '127.64.1.2', interfaces: at('192.168.9.7') }, 'fast', '127.64.1.2'],
  ]
  for (const [name, addresses, network, expected] of rows) {
    test(name, () => assert.equal(migrationAddress(addresses, network), expected))
  }

  test('reports the missing interface on a node outside of the migration network', () => {
    for (const interfaces of [{}, at(), at('169.254.0.7')]) {
      assert.throws(() => migrationAddress({ pod: '10.0.0.7', interfaces }, 'fast'), /network fast.*no address at migration0/)
    }
  })
})

test('targetNameOf() returns the name of the node unless the address is loopback', () => {
  assert.equal(targetNameOf('192.168.9.7', 'node2'), 'node2')
  assert.equal(targetNameOf('fd00::7', 'node2'), 'node2')
  for (const address of ['127.0.0.1', '127.64.1.2', '::1']) assert.equal(targetNameOf(address, 'node2'), 'localhost')
})
