import fc from 'fast-check'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from '#api/networking/v1/network-policy.ts'
import type { PolicyFacts } from './compile/compile-policies.ts'
import { guestPod, namespaceOf, policyOf } from './kubernetes-semantics.fixture.ts'

/** Ports of random rules and connections. */
export const ports = [80, 81, 443, 8080] as const

const tiers = fc.constantFrom('web', 'db')
const selectors: fc.Arbitrary<LabelSelector> = fc.oneof(
  fc.constant({}),
  tiers.map((tier) => ({ matchLabels: { tier } })),
  fc.constantFrom('Exists', 'DoesNotExist').map((operator) => ({ matchExpressions: [{ key: 'old', operator }] })),
  fc.constantFrom('In', 'NotIn').map((operator) => ({ matchExpressions: [{ key: 'tier', operator, values: ['db', 'none'] }] })),
)

/**
 * Facts about some guests, whose addresses are given, and an outside. Ports are those of
 * {@link ports}.
 */
export function policyFacts(prefix: string, addresses: readonly string[], outside: string): fc.Arbitrary<PolicyFacts> {
  const team = fc.constantFrom('a', 'b')
  const block = fc.oneof<fc.Arbitrary<IPBlock>[]>(
    fc.constant({ cidr: '0.0.0.0/0', except: [`${prefix}.1.0/30`, `${prefix}.1.2/31`, `${outside}/32`] }),
    fc.constant({ cidr: '0.0.0.0/0' }),
    fc.constant({ cidr: `${outside}/24` }),
    fc.constant({ cidr: '2001:db8::/32' }),
    fc.tuple(fc.constantFrom(...addresses), fc.integer({ min: 8, max: 32 })).map(([address, length]) => ({ cidr: `${address}/${length}` })),
  )
  const peer: fc.Arbitrary<NetworkPolicyPeer> = fc.oneof(
    selectors.map((podSelector) => ({ podSelector })),
    selectors.map((podSelector) => ({ podSelector, namespaceSelector: { matchLabels: { team: 'b' } } })),
    fc.constantFrom<LabelSelector>({}, { matchLabels: { team: 'a' } }).map((namespaceSelector) => ({ namespaceSelector })),
    block.map((ipBlock) => ({ ipBlock })),
  )
  const protocol = fc.constantFrom('TCP', 'UDP')
  const port: fc.Arbitrary<NetworkPolicyPort> = fc.oneof(
    fc.constantFrom(...ports).map((number) => ({ port: number })),
    fc.record({ protocol, port: fc.constantFrom(...ports) }),
    fc.record({ protocol, port: fc.constant(ports[0]), endPort: fc.constantFrom(...ports) }),
    fc.record({ protocol }),
    fc.constantFrom<NetworkPolicyPort>({ port: 'http' }, { port: 'udns', protocol: 'UDP' }, { port: 'none' }),
  )
  const rule = fc.record({ peers: fc.array(peer, { maxLength: 3 }), ports: fc.array(port, { maxLength: 3 }) })
  const rules = fc.option(fc.array(rule, { maxLength: 2 }), { nil: undefined })
  const types = fc.constantFrom<(string[] | undefined)[]>(undefined, ['Ingress'], ['Egress'], ['Ingress', 'Egress'])
  const spec = fc.record({ podSelector: selectors, ingress: rules, egress: rules, policyTypes: types }).map((found) => ({
    podSelector: found.podSelector,
    ...(found.ingress === undefined ? {} : { ingress: found.ingress.map((own) => ({ from: own.peers, ports: own.ports })) }),
    ...(found.egress === undefined ? {} : { egress: found.egress.map((own) => ({ to: own.peers, ports: own.ports })) }),
    ...(found.policyTypes === undefined ? {} : { policyTypes: found.policyTypes }),
  }))
  const labels = fc.record({ tier: tiers, old: fc.constant('yes') }, { requiredKeys: [] })
  const named = fc.record({ http: fc.constantFrom(...ports), udns: fc.constantFrom(...ports) }, { requiredKeys: [] })
  const pods = fc.tuple(
    ...addresses.map((address) =>
      fc.tuple(team, labels, named).map(([namespace, own, list]) => guestPod(address, namespace, defined(own), defined(list))),
    ),
  )
  return fc.record({
    policies: fc
      .array(fc.tuple(team, spec), { maxLength: 4 })
      .map((found) => found.map(([team, own], index) => policyOf(team, `p${index}`, own))),
    pods,
    namespaces: fc.constant([namespaceOf('a', { team: 'a' }), namespaceOf('b', { team: 'b' })]),
    prefix: fc.constant(prefix),
  })
}

function defined<T>(record: Partial<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])))
}
