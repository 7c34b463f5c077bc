import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StatusCause } from '#apimachinery/errors.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { validateVmiSpec } from '#features/vmi/index.ts'
import { seed } from '../support/effort.ts'
import { startOracle } from './oracle.ts'

const cases = 4_000

const maybe = <T>(value: fc.Arbitrary<T>, often = 3): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: often })
/** Mostly few names, so that networks and interfaces meet. */
const name = fc.constantFrom('default', 'default', 'blue', 'red', 'bad.name', '')
const port = fc.constantFrom(0, 1, 22, 80, 443, 65_535, 65_536, -1)
const protocol = fc.constantFrom('TCP', 'UDP', 'ICMP')
const network = fc.oneof(
  { weight: 5, arbitrary: fc.record({ name, pod: fc.constant({}) }) },
  {
    weight: 3,
    arbitrary: fc.record({ name, multus: fc.record({ networkName: fc.constantFrom('net', ''), default: maybe(fc.boolean()) }) }),
  },
  fc.record({ name }),
  fc.record({ name, pod: fc.constant({}), multus: fc.record({ networkName: fc.constant('net') }) }),
)
const method = fc.constantFrom('masquerade', 'masquerade', 'bridge', 'sriov', 'passtBinding', 'slirp', 'passt', 'macvtap')
const methods = fc.array(method, { minLength: 0, maxLength: 2 }).map((chosen) => Object.fromEntries(chosen.map((one) => [one, {}])))
const mac = fc.constantFrom(
  '',
  '02:00:00:00:00:00',
  'de:ad:00:00:be:af',
  'DE-AD-00-00-BE-AF',
  'dead.0000.beaf',
  'de:ad:00:00:be:af:00:01',
  'de:ad:00:00:be:a',
  'de-ad:00:00:be:af',
  'xx:ad:00:00:be:af',
)
const nic = fc
  .tuple(
    fc.record(
      {
        name,
        model: fc.constantFrom('virtio', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'unknown', ''),
        macAddress: mac,
        state: fc.constantFrom('up', 'down', 'absent', '', 'asleep'),
        pciAddress: fc.constantFrom(
          '',
          '0000:81:01.0',
          '0000:8100:01.0',
          '0000:80.10.1',
          '0000:00:1f.7',
          '0000:00:2f.7',
          '0000:00:01.8',
          '81:01.0',
        ),
        ports: fc.array(
          fc.record({
            name: maybe(fc.constantFrom('http', 'HTTP', 'a--b', '80', 'much-too-long-name', 'x')),
            port,
            protocol: maybe(protocol),
          }),
          {
            maxLength: 3,
          },
        ),
        portRanges: fc.oneof(
          { weight: 9, arbitrary: fc.array(fc.record({ protocol, start: port, end: port }), { minLength: 1, maxLength: 4 }) },
          fc.constant(Array.from({ length: 11 }, () => ({ protocol: 'TCP', start: 1, end: 2 }))),
        ),
        dhcpOptions: fc.record(
          {
            ntpServers: fc.array(fc.constantFrom('10.0.0.1', '::1', 'ntp.test', '10.0.0.256', '::ffff:10.0.0.1'), {
              maxLength: 2,
            }),
            privateOptions: fc.array(fc.record({ option: fc.constantFrom(223, 224, 240, 254, 255), value: fc.constant('x') }), {
              maxLength: 3,
            }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['name'] },
    ),
    methods,
    maybe(fc.constant({ name: 'plugin' }), 8),
  )
  .map(([one, bindings, binding]) => ({ ...one, ...bindings, ...(binding === undefined ? {} : { binding }) }))
const spec = fc
  .tuple(fc.array(network, { maxLength: 3 }), fc.array(nic, { maxLength: 3 }))
  .map(([networks, interfaces]) => ({ networks, domain: { devices: { interfaces }, memory: { guest: '1Gi' } } }))
const gates = fc.subarray(['PasstBinding', 'PortRangesSpec'])

const lineOf = ({ type, reason = type, field = '', message }: Partial<StatusCause> & { readonly type?: string }): string =>
  `${reason} ${field}: ${message}`

/** Other rules have other words: those about networks begin at these paths. */
const isOfNetworks = ({ field = '' }: StatusCause): boolean =>
  field === 'spec' || /^spec\.(networks|interfaces|domain\.devices\.interfaces)/.test(field)

test('networks and interfaces get the causes of upstream, in its order', async (t) => {
  const started = await startOracle('networks')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  let [refused, compared] = [0, 0]
  for (const [asked, open] of fc.sample(fc.tuple(spec, gates), { numRuns: cases, seed })) {
    const sent = JSON.parse(JSON.stringify(asked)) as never
    const theirs = ((await oracle.ask({ spec: sent, gates: open })) as readonly StatusCause[]).map(lineOf)
    const ours = validateVmiSpec(sent, 'spec', { ...defaultClusterConfig, featureGates: open })
      .filter(isOfNetworks)
      .map(lineOf)
    // Upstream visits protocols of port ranges in any order.
    const isOrdered = !open.includes('PortRangesSpec')
    assert.deepEqual(isOrdered ? ours : ours.toSorted(), isOrdered ? theirs : theirs.toSorted(), JSON.stringify(asked))
    compared += theirs.length
    if (theirs.length > 0) refused++
  }
  assert.ok(refused > cases / 4 && refused < cases, String(refused))
  t.diagnostic(`${cases} specs, of which ${refused} are refused, with ${compared} causes: equal`)
})
