import type { Range } from './compile/ranges.ts'

/** Direction of a connection, as a guest sees it. */
export type Direction = 'egress' | 'ingress'

/** Which connections pass between guests, and from guests to the outside. */
export interface GuestFilter {
  /** Addresses of all guests. What is unknown neither sends nor receives. */
  readonly guests: ReadonlySet<string>
  /** Policies that select a guest, by its address. A guest without an entry is not isolated. */
  readonly isolated: Readonly<Record<Direction, ReadonlyMap<string, readonly PolicyRules[]>>>
  /** Addresses of the guests that peers select, by the name of the group. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>
  /** Ports of guests that have a name, by the name of the set. */
  readonly namedPorts: ReadonlyMap<string, readonly GuestPort[]>
}

/** A port of a guest. */
export interface GuestPort {
  readonly address: string
  readonly port: number
}

/** Rules of a policy for one direction. */
export interface PolicyRules {
  /** Unique among the rules of all policies, and short. */
  readonly id: string
  /** `namespace/name` */
  readonly policy: string
  readonly rules: readonly AllowRule[]
}

/** Allows connections with one of the peers, to one of the ports. */
export interface AllowRule {
  /** Absent: with everything. */
  readonly peers?: AllowedPeers
  /** Absent: to all ports, and by all protocols. */
  readonly ports?: readonly AllowedPorts[]
}

/** Other ends of connections: members of one of the groups, or one of the addresses. */
export interface AllowedPeers {
  readonly groups: readonly string[]
  readonly addresses: readonly Range[]
}

/** Ports of a protocol: one of the numbers, or one that the destination has in a named set. */
export interface AllowedPorts {
  /** `tcp`, `udp` or `sctp`. */
  readonly protocol: string
  readonly numbers: readonly Range[]
  readonly names: readonly string[]
}
