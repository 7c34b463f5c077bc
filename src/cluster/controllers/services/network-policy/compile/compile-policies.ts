import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '#api/networking/v1/network-policy.ts'
import { PolicyPorts } from './allowed-ports.ts'
import { digest } from '../digest.ts'
import type { AllowRule, Direction, GuestFilter, PolicyRules } from '../guest-filter.ts'
import { guestPods } from './guest-pods.ts'
import { PeerGroups } from './peer-groups.ts'
import { selectorOf } from './selectors.ts'

/** What decides which traffic of guests passes. */
export interface PolicyFacts {
  readonly policies: readonly NetworkPolicy[]
  readonly pods: readonly Pod[]
  readonly namespaces: readonly Namespace[]
  /** First two numbers of the pod network's addresses. */
  readonly prefix: string
}

/**
 * Compiles the policies of a cluster, with the meaning that Kubernetes gives them: a guest that
 * none selects is not isolated, and of those that select it, one must allow a connection. Pure.
 */
export function compilePolicies({ policies, pods, namespaces, prefix }: PolicyFacts): GuestFilter {
  const guests = guestPods(pods, prefix)
  const peers = new PeerGroups(guests, namespaces)
  const ports = new PolicyPorts(guests)
  const isolated = { egress: new Map<string, PolicyRules[]>(), ingress: new Map<string, PolicyRules[]>() }
  // In a lasting order: rules change only where policies do.
  for (const { policy, namespace, spec } of policies.map(identified).toSorted((a, b) => (a.policy < b.policy ? -1 : 1))) {
    const selects = selectorOf(spec.podSelector ?? {})
    const selected = guests.filter((guest) => guest.namespace === namespace && selects(guest.labels))
    if (selected.length === 0) continue
    for (const direction of directionsOf(spec)) {
      const rules = rulesOf(spec, direction).map((rule): AllowRule => ({
        ...(rule.peers.length === 0 ? {} : { peers: peers.allowed(namespace, rule.peers) }),
        ...(rule.ports.length === 0 ? {} : { ports: ports.allowed(rule.ports) }),
      }))
      const compiled = { id: `${direction}-${digest(policy)}`, policy, rules }
      for (const address of new Set(selected.map((guest) => guest.address)))
        isolated[direction].getOrInsertComputed(address, () => []).push(compiled)
    }
  }
  return { guests: new Set(guests.map(({ address }) => address)), isolated, groups: peers.members, namedPorts: ports.named }
}

function identified({ metadata, spec = { podSelector: {} } }: NetworkPolicy): {
  readonly policy: string
  readonly namespace: string
  readonly spec: NetworkPolicySpec
} {
  const { namespace = '', name = '' } = metadata
  return { policy: `${namespace}/${name}`, namespace, spec }
}

/** The directions in which a policy isolates guests, by Kubernetes' default where it names none. */
function directionsOf({ policyTypes = [], egress = [] }: NetworkPolicySpec): ReadonlySet<Direction> {
  if (policyTypes.length > 0) return new Set(policyTypes.map((type) => (type === 'Egress' ? 'egress' : 'ingress')))
  return new Set(egress.length > 0 ? ['ingress', 'egress'] : ['ingress'])
}

/** A rule of either direction. Empty lists allow everything. */
interface Rule {
  readonly peers: readonly NetworkPolicyPeer[]
  readonly ports: readonly NetworkPolicyPort[]
}

function rulesOf({ ingress = [], egress = [] }: NetworkPolicySpec, direction: Direction): readonly Rule[] {
  return direction === 'egress'
    ? egress.map(({ to = [], ports = [] }) => ({ peers: to, ports }))
    : ingress.map(({ from = [], ports = [] }) => ({ peers: from, ports }))
}
