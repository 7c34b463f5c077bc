import type { AllowRule, Direction, GuestFilter, GuestPort, PolicyRules } from '../guest-filter.ts'
import { formatIpv4 } from '#apimachinery/ip/ipv4.ts'
import { formatRanges, type Range } from '../compile/ranges.ts'
import { digest } from '../digest.ts'

/** Content of a table of nftables: sets and chains by name. */
export interface FilterTable {
  readonly sets: ReadonlyMap<string, FilterSet>
  /** Lines of each chain: the hook of a base chain, and rules. */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

/** A set or a map of nftables. */
export interface FilterSet {
  readonly kind: 'set' | 'map'
  readonly type: string
  readonly elements: readonly string[]
}

/**
 * The machine reaches its guests. What comes back passes, and errors about what has passed do.
 * Other networks, whose interfaces begin with "net", have no policies.
 */
const firstRules = ['ct direction reply accept', 'ct state related accept', 'iifname "host0" accept', 'iifname "net*" accept']

const refuse = [
  // A guest reaches itself through a Service.
  'ip saddr . ip daddr @own accept',
  'ct state invalid drop',
  // A policy that is new ends connections which it does not allow.
  'ct state established meta l4proto tcp reject with tcp reset',
  'reject with icmp type admin-prohibited',
]

/**
 * Writes a filter as a table of nftables. An isolated guest leads to a chain for all policies that
 * select it, and that one to the chain of each policy: little changes when guests come and go.
 * Pure.
 */
export function filterTable({ guests, isolated, groups, namedPorts }: GuestFilter): FilterTable {
  const egress = isolation('egress', isolated.egress)
  const ingress = isolation('ingress', isolated.ingress)
  const selves = [...guests].map((address) => `${address} . ${address}`)
  const hook = (order: number): string => `type filter hook forward priority filter - ${order}; policy drop;`
  return {
    sets: new Map([
      ['guests', setOf('ipv4_addr', guests)],
      ['own', setOf('ipv4_addr . ipv4_addr', selves)],
      ['egress', egress.map],
      ['ingress', ingress.map],
      ...[...groups].map(([name, members]) => [name, setOf('ipv4_addr', members)] as const),
      ...[...namedPorts].map(([name, ports]) => [name, portSet(ports)] as const),
    ]),
    chains: new Map([
      ['refuse', refuse],
      ...egress.chains,
      ...ingress.chains,
      ['forward-egress', [hook(3), ...firstRules, 'ip saddr != @guests goto refuse', 'ip saddr vmap @egress', 'accept']],
      // The outside is no guest, and behind another interface.
      ['forward-ingress', [hook(2), ...firstRules, 'oifname "pods0" ip daddr != @guests goto refuse', 'ip daddr vmap @ingress', 'accept']],
    ]),
  }
}

function setOf(type: string, elements: Iterable<string>): FilterSet {
  return { kind: 'set', type, elements: [...elements].toSorted() }
}

function portSet(ports: readonly GuestPort[]): FilterSet {
  const elements = ports.map(({ address, port }) => `${address} . ${port}`)
  return setOf('ipv4_addr . inet_service', elements)
}

/** Chains of the policies of a direction, and the map of the guests that they isolate. */
function isolation(
  direction: Direction,
  isolated: ReadonlyMap<string, readonly PolicyRules[]>,
): { readonly chains: ReadonlyMap<string, readonly string[]>; readonly map: FilterSet } {
  const chains = new Map<string, readonly string[]>()
  const elements: string[] = []
  for (const [address, policies] of isolated) {
    const name = `${direction}-of-${digest(policies.map(({ id }) => id).join())}`
    elements.push(`${address} : jump ${name}`)
    if (chains.has(name)) continue
    for (const { id, rules } of policies) if (!chains.has(id)) chains.set(id, linesOf(direction, rules))
    chains.set(name, [...policies.map(({ id, policy }) => `jump ${id} comment "${policy.slice(0, longestComment)}"`), 'goto refuse'])
  }
  return { chains, map: { kind: 'map', type: 'ipv4_addr : verdict', elements: elements.toSorted() } }
}

const longestComment = 120

/** One line for each kind of peers with each kind of ports. */
function linesOf(direction: Direction, rules: readonly AllowRule[]): readonly string[] {
  const side = direction === 'egress' ? 'ip daddr' : 'ip saddr'
  return rules.flatMap((rule) => peersOf(rule, side).flatMap((peers) => portsOf(rule).map((ports) => `${peers}${ports}accept`)))
}

function peersOf({ peers }: AllowRule, side: string): readonly string[] {
  if (peers === undefined) return ['']
  const { groups, addresses } = peers
  return [
    ...groups.map((name) => `${side} @${name} `),
    ...(addresses.length === 0 ? [] : [`${side} ${formatRanges(addresses, formatIpv4)} `]),
  ]
}

function portsOf({ ports }: AllowRule): readonly string[] {
  if (ports === undefined) return ['']
  return ports.flatMap(({ protocol, numbers, names }) => [
    ...(numbers.length === 0 ? [] : [`meta l4proto ${protocol} ${isEveryPort(numbers) ? '' : `th dport ${formatRanges(numbers)} `}`]),
    ...names.map((name) => `meta l4proto ${protocol} ip daddr . th dport @${name} `),
  ])
}

function isEveryPort([first]: readonly Range[]): boolean {
  return first?.first === 0 && first.last === 65_535
}
