import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '#api/core/v1/pod.ts'
import type { NetworkPolicySpec } from '#api/networking/v1/network-policy.ts'
import type { AllowRule, GuestFilter } from '../guest-filter.ts'
import { type Connection, guestPod, isAllowed, namespaceOf, policyOf } from '../kubernetes-semantics.fixture.ts'
import { policyFacts, ports } from '../random-policies.fixture.ts'
import { compilePolicies, type PolicyFacts } from './compile-policies.ts'
import type { Range } from './ranges.ts'

const prefix = '10.77'
const [web, db, other] = ['10.77.1.1', '10.77.1.2', '10.77.1.3']
const outside = '192.0.2.9'

const toNumber = (address: string): number => address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
const isIn = (ranges: readonly Range[], number: number): boolean => ranges.some(({ first, last }) => number >= first && number <= last)

/** Judges a connection by a filter, as the rules of nftables do. */
function passes({ guests, isolated, groups, namedPorts }: GuestFilter, { from, to, protocol, port }: Connection): boolean {
  if (from === to) return true
  if (!guests.has(from) || (to.startsWith(prefix) && !guests.has(to))) return false
  const allows = ({ peers, ports: allowed }: AllowRule, peer: string): boolean =>
    (peers === undefined || peers.groups.some((name) => groups.get(name)?.has(peer)) || isIn(peers.addresses, toNumber(peer))) &&
    (allowed === undefined ||
      allowed.some(
        (own) =>
          own.protocol === protocol.toLowerCase() &&
          (isIn(own.numbers, port) ||
            own.names.some((name) => namedPorts.get(name)?.some((found) => found.address === to && found.port === port))),
      ))
  const isOpen = (direction: 'egress' | 'ingress', guest: string, peer: string): boolean => {
    const policies = isolated[direction].get(guest)
    return policies === undefined || policies.some(({ rules }) => rules.some((rule) => allows(rule, peer)))
  }
  return isOpen('egress', from, to) && isOpen('ingress', to, from)
}

suite('compilePolicies()', () => {
  const facts = (...specs: NetworkPolicySpec[]): PolicyFacts => ({
    policies: specs.map((spec, index) => policyOf('shop', `p${index}`, spec)),
    pods: [
      guestPod(web, 'shop', { app: 'web' }, { http: 8080 }),
      guestPod(db, 'shop', { app: 'db' }, { sql: 5432 }),
      guestPod(other, 'lab', { app: 'web' }),
    ],
    namespaces: [namespaceOf('shop'), namespaceOf('lab', { stage: 'test' })],
    prefix,
  })
  const onlyWeb = { podSelector: { matchLabels: { app: 'web' } } }
  const onlyDb = { podSelector: { matchLabels: { app: 'db' } } }
  const inLab = { namespaceSelector: { matchLabels: { stage: 'test' } } }
  /** Connections that pass, of some: from web, other and the database, by TCP. */
  const open = (given: PolicyFacts): string[] => {
    const names = { web, db, other, out: outside }
    return ['web>db:5432', 'other>db:5432', 'other>db:80', 'db>web:8080', 'db>out:443'].filter((text) => {
      const [, from = '', to = '', port = ''] = /(\w+)>(\w+):(\d+)/.exec(text) ?? []
      return passes(compilePolicies(given), {
        from: names[from as 'web'],
        to: names[to as 'web'],
        protocol: 'TCP',
        port: Number(port),
      })
    })
  }
  const everything = ['web>db:5432', 'other>db:5432', 'other>db:80', 'db>web:8080', 'db>out:443']

  for (const [what, specs, expected] of [
    ['nothing', [], everything],
    ['a policy that selects no guest', [{ podSelector: { matchLabels: { app: 'none' } } }], everything],
    ['the default types: ingress', [onlyDb], ['db>web:8080', 'db>out:443']],
    ['both types by default with egress', [{ ...onlyDb, egress: [{ to: [onlyWeb] }] }], ['db>web:8080']],
    ['egress alone', [{ ...onlyDb, policyTypes: ['Egress'] }], ['web>db:5432', 'other>db:5432', 'other>db:80']],
    ['an empty rule', [{ ...onlyDb, ingress: [{}] }], everything],
    ['peers in the own namespace', [{ ...onlyDb, ingress: [{ from: [onlyWeb] }] }], ['web>db:5432', 'db>web:8080', 'db>out:443']],
    ['peers of namespaces', [{ ...onlyDb, ingress: [{ from: [inLab] }] }], ['other>db:5432', 'other>db:80', 'db>web:8080', 'db>out:443']],
    ['both selectors of one peer', [{ ...onlyDb, ingress: [{ from: [{ ...inLab, ...onlyDb }] }] }], ['db>web:8080', 'db>out:443']],
    [
      'the union of policies',
      [
        { ...onlyDb, ingress: [{ from: [onlyWeb] }] },
        { ...onlyDb, ingress: [{ from: [inLab], ports: [{ port: 80 }] }] },
      ],
      ['web>db:5432', 'other>db:80', 'db>web:8080', 'db>out:443'],
    ],
    [
      'named ports of the destination',
      [{ podSelector: {}, ingress: [{ ports: [{ port: 'sql' }] }] }],
      ['web>db:5432', 'other>db:5432', 'db>out:443'],
    ],
    [
      'a named port of a peer',
      [{ ...onlyDb, policyTypes: ['Egress'], egress: [{ ports: [{ port: 'http' }] }] }],
      ['web>db:5432', 'other>db:5432', 'other>db:80', 'db>web:8080'],
    ],
    [
      'ports that only an older release has stored',
      [{ ...onlyDb, ingress: [{ ports: [{ port: 70_000 }, { protocol: 'tcp; drop' }, { port: 'a}; drop' }, { port: 90, endPort: 80 }] }] }],
      ['db>web:8080', 'db>out:443'],
    ],
    [
      'a block without an exception',
      [{ ...onlyDb, policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }] }] }],
      ['web>db:5432', 'other>db:5432', 'other>db:80', 'db>out:443'],
    ],
    [
      'a range of ports',
      [{ ...onlyDb, ingress: [{ ports: [{ port: 5000, endPort: 6000 }] }] }],
      ['web>db:5432', 'other>db:5432', 'db>web:8080', 'db>out:443'],
    ],
  ] as const satisfies [string, NetworkPolicySpec[], string[]][])
    test(`lets pass with ${what}`, () => assert.deepEqual(open(facts(...(specs as unknown as NetworkPolicySpec[]))), expected))

  test('agrees with Kubernetes about random policies, guests and connections', () => {
    const addresses = [web, db, other, '10.77.1.4']
    const connection = fc.record({
      from: fc.constantFrom(...addresses, '10.77.9.9'),
      to: fc.constantFrom(...addresses, outside, '10.77.9.9'),
      protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
      port: fc.constantFrom(...ports),
    })
    let allowed = 0
    fc.assert(
      fc.property(policyFacts(prefix, addresses, outside), fc.array(connection, { minLength: 20, maxLength: 20 }), (given, connections) => {
        const filter = compilePolicies(given)
        for (const each of connections) {
          const expected = isAllowed(given, each)
          if (expected) allowed++
          assert.equal(passes(filter, each), expected, JSON.stringify(each))
        }
      }),
      { numRuns: 2000 },
    )
    assert.ok(allowed > 4_000 && allowed < 36_000, `${allowed} of 40,000 connections are allowed`)
  })

  test('takes both ends of a live migration for one guest, and no guest for one that has ended', () => {
    const moving = guestPod(web, 'shop', { app: 'web' })
    const ended: Pod = { ...moving, status: { phase: 'Succeeded', podIP: '10.77.1.9' } }
    const process: Pod = { ...moving, status: { phase: 'Running', podIP: '127.0.0.1' } }
    const { guests, isolated } = compilePolicies({ ...facts(onlyWeb), pods: [moving, moving, ended, process] })
    assert.deepEqual([[...guests], [...isolated.ingress.keys()], isolated.ingress.get(web)?.length], [[web], [web], 1])
  })
})
