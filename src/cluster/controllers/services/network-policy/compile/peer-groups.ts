import type { Namespace } from '#api/core/v1/namespace.ts'
import type { NetworkPolicyPeer } from '#api/networking/v1/network-policy.ts'
import { digest } from '../digest.ts'
import type { AllowedPeers } from '../guest-filter.ts'
import type { GuestPod } from './guest-pods.ts'
import { addressesOf, joined } from './ranges.ts'
import { selectorOf } from './selectors.ts'

/** Finds the guests that peers select. Peers with the same selectors share a group. */
export class PeerGroups {
  /** Addresses of the members of each group that was asked for. */
  readonly members: Map<string, ReadonlySet<string>> = new Map()
  readonly #guests: readonly GuestPod[]
  readonly #labelsOf: ReadonlyMap<string, Readonly<Record<string, string>>>

  constructor(guests: readonly GuestPod[], namespaces: readonly Namespace[]) {
    this.#guests = guests
    this.#labelsOf = new Map(namespaces.map(({ metadata: { name = '', labels = {} } }) => [name, labels]))
  }

  /** Returns the peers of a rule in a policy of the namespace. */
  allowed(namespace: string, peers: readonly NetworkPolicyPeer[]): AllowedPeers {
    const selecting = peers.filter(({ podSelector, namespaceSelector }) => (podSelector ?? namespaceSelector) !== undefined)
    return {
      groups: [...new Set(selecting.map((peer) => this.#groupOf(namespace, peer)))],
      addresses: joined(peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : addressesOf(ipBlock)))),
    }
  }

  /** Without a selector of namespaces, a peer is in the namespace of the policy. */
  #groupOf(own: string, { namespaceSelector, podSelector = {} }: NetworkPolicyPeer): string {
    const name = `group-${digest(JSON.stringify([podSelector, namespaceSelector ?? own]))}`
    if (this.members.has(name)) return name
    const selectsPod = selectorOf(podSelector)
    const selectsLabels = selectorOf(namespaceSelector)
    const selectsNamespace = (namespace: string): boolean =>
      namespaceSelector === undefined ? namespace === own : selectsLabels(this.#labelsOf.get(namespace) ?? {})
    const found = this.#guests.filter(({ namespace, labels }) => selectsNamespace(namespace) && selectsPod(labels))
    this.members.set(name, new Set(found.map(({ address }) => address)))
    return name
  }
}
