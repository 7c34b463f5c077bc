import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { addressesIn } from './address-pool.ts'
import { bridgeNetworkOf, UnsupportedNetwork, type BridgeNetwork } from './bridge-network.ts'
import { formatIpv4, parseIpv4 } from '#apimachinery/ip/ipv4.ts'

const networkOf = (config: unknown): BridgeNetwork =>
  bridgeNetworkOf({ metadata: { name: 'n' }, spec: { config: typeof config === 'string' ? config : JSON.stringify(config) } })

const closed = { isGateway: false, masquerades: false, checksMac: false, isolatesPorts: false }
const hostLocal = { type: 'host-local', subnet: '10.1.0.0/24' }
const pool = { subnet: '10.1.0.0', prefix: 24, reserved: [], routes: [] }
const addresses = (first: string, last: string): object => ({ first: parseIpv4(first), last: parseIpv4(last) })

suite('bridgeNetworkOf()', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    ['a bridge alone', { type: 'bridge', bridge: 'br1' }, { segment: 'br1', ...closed }],
    ["CNI's default bridge", { type: 'bridge' }, { segment: 'cni0', ...closed }],
    ['a VLAN of a bridge', { type: 'cnv-bridge', bridge: 'br1', vlan: 7 }, { segment: 'br1.7', ...closed }],
    ['settings that are off', { type: 'bridge', bridge: 'b', hairpinMode: false, mtu: 0, ipam: {} }, { segment: 'b', ...closed }],
    [
      'checks and MTU',
      { cniVersion: '1.0.0', type: 'bridge', bridge: 'b', macspoofchk: true, portIsolation: true, mtu: 9000 },
      { segment: 'b', ...closed, checksMac: true, isolatesPorts: true, mtu: 9000 },
    ],
    [
      'addresses',
      { type: 'bridge', bridge: 'b', ipam: hostLocal },
      { segment: 'b', ...closed, pool: { ...pool, ranges: [addresses('10.1.0.1', '10.1.0.254')] } },
    ],
    [
      'ranges of one set',
      {
        type: 'bridge',
        bridge: 'b',
        ipam: {
          type: 'host-local',
          ranges: [
            [
              { subnet: '10.1.0.0/24', rangeStart: '10.1.0.10', rangeEnd: '10.1.0.19' },
              { subnet: '10.1.0.0/24', rangeStart: '10.1.0.50' },
            ],
          ],
        },
      },
      {
        segment: 'b',
        ...closed,
        pool: { ...pool, ranges: [addresses('10.1.0.10', '10.1.0.19'), addresses('10.1.0.50', '10.1.0.254')] },
      },
    ],
    [
      'a gateway, which is the first address',
      { type: 'bridge', bridge: 'b', isDefaultGateway: true, ipMasq: true, ipam: { ...hostLocal, routes: [{ dst: '10.9.0.0/16' }] } },
      {
        segment: 'b',
        ...closed,
        isGateway: true,
        masquerades: true,
        pool: {
          ...pool,
          ranges: [addresses('10.1.0.1', '10.1.0.254')],
          gateway: '10.1.0.1',
          reserved: ['10.1.0.1'],
          routes: [{ to: '10.9.0.0/16' }, { to: '0.0.0.0/0', via: '10.1.0.1' }],
        },
      },
    ],
    [
      'whereabouts, with exclusions',
      {
        type: 'bridge',
        bridge: 'b',
        ipam: { type: 'whereabouts', range: '10.1.0.0/24', range_end: '10.1.0.99', exclude: ['10.1.0.0/28', '10.1.0.64/26'] },
      },
      { segment: 'b', ...closed, pool: { ...pool, ranges: [addresses('10.1.0.16', '10.1.0.63')] } },
    ],
    ['a list of plugins', { plugins: [{ type: 'bridge', bridge: 'b' }, { type: 'tuning' }] }, { segment: 'b', ...closed }],
  ]
  for (const [name, config, expected] of cases) test(`reads ${name}`, () => assert.deepEqual(networkOf(config), expected))

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['no configuration', '', /spec\.config is empty/],
    ['no JSON', '{', /no JSON/],
    ['a list', '[]', /spec\.config must be an object/],
    ['another type', { type: 'macvlan' }, /type "macvlan" is not supported/],
    ['another plugin', { plugins: [{ type: 'bridge' }, { type: 'sbr' }] }, /plugin "sbr" after the bridge/],
    ['settings of a plugin', { plugins: [{ type: 'bridge' }, { type: 'tuning', mac: 'x' }] }, /plugin "tuning"/],
    ['an unknown field', { type: 'bridge', vlanTrunk: [{ id: 3 }] }, /"vlanTrunk" is not supported/],
    ['a field of another kind', { type: 'bridge', mtu: '1500' }, /"mtu" must be a number/],
    ['a VLAN that is none', { type: 'bridge', vlan: 5000 }, /"vlan" must be from 1 to 4094/],
    ['other addresses', { type: 'bridge', ipam: { type: 'dhcp' } }, /ipam of type "dhcp"/],
    ['IPv6', { type: 'bridge', ipam: { type: 'host-local', subnet: 'fd00::/64' } }, /ipam\.subnet must be an IPv4 network/],
    [
      'a range outside of its subnet',
      { type: 'bridge', ipam: { ...hostLocal, rangeStart: '10.2.0.1' } },
      /must be an IPv4 address in 10\.1\.0\.0\/24/,
    ],
    [
      'an injected line',
      { type: 'bridge', ipam: { ...hostLocal, gateway: '10.1.0.1\ndhcp-script=/bin/sh' } },
      /the gateway must be an IPv4 address/,
    ],
    ['a second set of ranges', { type: 'bridge', ipam: { type: 'host-local', ranges: [[], []] } }, /must have one set/],
    ['a gateway without addresses', { type: 'bridge', isGateway: true }, /need "ipam"/],
    ['a way out without gateway', { type: 'bridge', ipMasq: true, ipam: hostLocal }, /"ipMasq" needs "isGateway"/],
  ]
  for (const [name, config, message] of refused)
    test(`refuses ${name}`, () =>
      assert.throws(
        () => networkOf(config),
        (error) => error instanceof UnsupportedNetwork && message.test(error.message),
      ))

  test('never fails otherwise, whatever the configuration is', () => {
    const config = fc.record(
      { type: fc.constantFrom('bridge', 'x'), bridge: fc.anything(), ipam: fc.anything(), plugins: fc.anything() },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          config.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            networkOf(text)
          } catch (error) {
            assert.ok(error instanceof UnsupportedNetwork, String(error))
          }
        },
      ),
    )
  })
})

test('addressesIn() lists each address of a pool once, from one that its key chooses', () => {
  const range = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 20 })).map(([gap, size]) => ({ gap, size }))
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 4 }), fc.string(), (parts, key) => {
      let next = parseIpv4('10.0.0.1') ?? 0
      const ranges = parts.map(({ gap, size }) => {
        const first = next + gap
        next = first + size
        return { first, last: next - 1 }
      })
      const all = ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => formatIpv4(first + index)))
      const [reserved = ''] = all
      const listed = [...addressesIn({ ...pool, ranges, reserved: [reserved] }, key)]
      assert.deepEqual(listed.toSorted(), all.slice(1).toSorted())
    }),
  )
})
