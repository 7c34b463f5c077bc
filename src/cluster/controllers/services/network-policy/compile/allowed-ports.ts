import type { NetworkPolicyPort } from '#api/networking/v1/network-policy.ts'
import type { AllowedPorts, GuestPort } from '../guest-filter.ts'
import type { GuestPod } from './guest-pods.ts'
import { joined, type Range } from './ranges.ts'

/** Finds the ports of rules, and the guests that have a port of a name. */
export class PolicyPorts {
  /** Ports that have a name which was asked for, by the name of their set. */
  readonly named: Map<string, readonly GuestPort[]> = new Map()
  readonly #guests: readonly GuestPod[]

  constructor(guests: readonly GuestPod[]) {
    this.#guests = guests
  }

  /** Returns the ports of a rule, by protocol. */
  allowed(ports: readonly NetworkPolicyPort[]): readonly AllowedPorts[] {
    const byProtocol = Map.groupBy(ports.filter(isValid), ({ protocol = 'TCP' }) => protocol.toLowerCase())
    return [...byProtocol].map(([protocol, own]) => ({
      protocol,
      numbers: joined(own.flatMap(numbersOf)),
      names: [...new Set(own.flatMap(({ port }) => (typeof port === 'string' ? [this.#setOf(protocol, port)] : [])))],
    }))
  }

  #setOf(protocol: string, name: string): string {
    const set = `port-${protocol}-${name}`
    this.named.getOrInsertComputed(set, () => this.#portsNamed(protocol, name))
    return set
  }

  #portsNamed(protocol: string, name: string): readonly GuestPort[] {
    const found = this.#guests.flatMap(({ address, ports }) =>
      ports
        .filter((port) => port.name === name && (port.protocol ?? 'TCP').toLowerCase() === protocol)
        .map(({ containerPort: port }) => ({ address, port })),
    )
    // Both ends of a live migration have the same ports.
    return [...new Map(found.map((port) => [`${port.address}:${port.port}`, port])).values()]
  }
}

/**
 * What is written into rules must be what it seems: releases that did not validate policies have
 * stored ports of any text, which match nothing.
 */
function isValid({ protocol = 'TCP', port, endPort }: NetworkPolicyPort): boolean {
  if (!protocols.has(protocol)) return false
  if (typeof port === 'string') return /^[a-z0-9-]{1,15}$/.test(port)
  const first = port ?? 0
  const last = endPort ?? first
  return first >= 0 && first <= last && last <= lastPort
}

const protocols: ReadonlySet<string> = new Set(['TCP', 'UDP', 'SCTP'])
const lastPort = 65_535

function numbersOf({ port, endPort }: NetworkPolicyPort): readonly Range[] {
  if (port === undefined) return [{ first: 0, last: lastPort }]
  return typeof port === 'string' ? [] : [{ first: port, last: endPort ?? port }]
}
