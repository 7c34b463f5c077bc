import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { NetworkPolicy } from '#api/networking/v1/network-policy.ts'
import { networkPolicyStrategy } from './network-policy-strategy.ts'
import { validateNetworkPolicySpec } from './network-policy-validation.ts'

const from = (...peers: object[]): object => ({ podSelector: {}, ingress: [{ from: peers }] })
const to = (...ports: object[]): object => ({ podSelector: {}, egress: [{ ports }] })
const shown = (spec: object): string[] => validateNetworkPolicySpec(spec as never).map(({ field, message }) => `${field}: ${message}`)

suite('validateNetworkPolicySpec()', () => {
  const cases: readonly [string, object, readonly RegExp[]][] = [
    ['nothing', {}, []],
    [
      'peers',
      from({ podSelector: {} }, { namespaceSelector: {}, podSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }),
      [],
    ],
    ['ports', to({ port: 80, endPort: 90 }, { port: 'http', protocol: 'UDP' }, { protocol: 'SCTP' }, {}), []],
    ['no peer', from({}), [/^spec\.ingress\[0\]\.from\[0\]: Required value: must specify a peer$/]],
    [
      'two kinds of peer',
      from({ podSelector: {}, ipBlock: { cidr: '::/0' } }),
      [/^spec\.ingress\[0\]\.from\[0\]: Forbidden: may not specify both ipBlock/],
    ],
    [
      'a block that is none',
      from({ ipBlock: { cidr: '10.0.0.0' } }),
      [/ipBlock\.cidr: Invalid value: "10\.0\.0\.0": must be a valid CIDR value, \(e\.g/],
    ],
    [
      'an exception outside',
      from({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/9'] } }),
      [/except\[0\]: .* must be a strict subset of `cidr`$/],
    ],
    ['an exception of everything', from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }), [/must be a strict subset/]],
    ['a port out of range', to({ port: 70_000 }), [/^spec\.egress\[0\]\.ports\[0\]\.port: Invalid value: 70000: must be between/]],
    ['an end before the start', to({ port: 80, endPort: 79 }), [/endPort: Invalid value: 79: must be greater than or equal to `port`$/]],
    ['an end without a start', to({ endPort: 79 }), [/endPort: Invalid value: 79: may not be specified when `port` is not specified$/]],
    [
      'an end of a name',
      to({ port: 'http', endPort: 79 }),
      [/endPort: Invalid value: 79: may not be specified when `port` is non-numeric$/],
    ],
    ['a protocol', to({ protocol: 'ICMP' }), [/protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"$/]],
    ['a type', { policyTypes: ['Both'] }, [/^spec\.policyTypes\[0\]: Unsupported value: "Both": supported values: "Ingress", "Egress"$/]],
    [
      'three types',
      { policyTypes: ['Ingress', 'Egress', 'Ingress'] },
      [/^spec\.policyTypes: .* may not specify more than two policyTypes$/],
    ],
    [
      'a selector',
      {
        podSelector: {
          matchLabels: { 'a b': 'c' },
          matchExpressions: [
            { key: 'a', operator: 'Is' },
            { key: 'a', operator: 'In' },
          ],
        },
      },
      [
        /^spec\.podSelector\.matchLabels: Invalid value: "a b": name part must consist/,
        /^spec\.podSelector\.matchExpressions\[0\]\.operator: Invalid value: "Is": not a valid selector operator$/,
        /^spec\.podSelector\.matchExpressions\[1\]\.values: Required value: must be specified when `operator` is 'In' or 'NotIn'$/,
      ],
    ],
    [
      'an expression with too much',
      from({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
      [/from\[0\]\.namespaceSelector\.matchExpressions\[0\]\.values: Forbidden: may not be specified when/],
    ],
  ]
  for (const [what, spec, expected] of cases)
    test(`answers to ${what}`, () => {
      const found = shown(spec)
      assert.equal(found.length, expected.length, found.join('\n'))
      for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? '', pattern)
    })
})

suite('networkPolicyStrategy', () => {
  const policy = (spec: object): NetworkPolicy => ({ metadata: { name: 'x' }, spec: spec as never })
  const created = (spec: object): unknown => (networkPolicyStrategy.prepareForCreate?.(policy(spec), 0) as NetworkPolicy | undefined)?.spec

  test("sets Kubernetes' defaults", () => {
    assert.deepEqual(created({ podSelector: {} }), { podSelector: {}, policyTypes: ['Ingress'] })
    assert.deepEqual(created(to({ port: 80 })), {
      podSelector: {},
      egress: [{ ports: [{ port: 80, protocol: 'TCP' }] }],
      policyTypes: ['Ingress', 'Egress'],
    })
    assert.deepEqual(created({ ...to(), policyTypes: ['Egress'] }), { ...to(), policyTypes: ['Egress'] })
  })

  test('warns about blocks that match nothing, and leaves a stored policy alone', () => {
    const six = policy(from({ ipBlock: { cidr: '2001:db8::/32' } }))
    assert.deepEqual(networkPolicyStrategy.warnings?.(six, undefined), [
      'spec.ingress[0].from[0].ipBlock.cidr: the network of guests has no IPv6: "2001:db8::/32" matches nothing',
    ])
    assert.deepEqual(networkPolicyStrategy.warnings?.(six, six), [])
    const stored = policy(from({}))
    assert.equal(networkPolicyStrategy.validate?.(stored, stored).length, 0)
    assert.equal(networkPolicyStrategy.validate?.(stored, undefined).length, 1)
  })
})
