import { addressMark } from '#runtime/network/network-namespace.ts'
import { formatPorts } from '../open-ports.ts'
import { createTap } from '../tap.ts'
import type { AttachedCard } from './card-files.ts'

/**
 * Shell function `join_bridge TAP BRIDGE`. A port gets no frames to addresses that the bridge does
 * not know: a guest would flood all others by them.
 */
export const joinBridge =
  'join_bridge() { ip link set dev "$1" master "$2" && ip link set dev "$1" type bridge_slave flood off && ip link set dev "$1" up; }\n'

/**
 * Shell script that creates a tap device and makes it a port of a bridge: `TAP USER BRIDGE FLAG`;
 * nft reads standard input.
 */
export const attachScript: string = `${createTap}${joinBridge}create_tap "$1" "$2" "$4"; join_bridge "$1" "$3"; exec nft -f -`

/** Shell script that removes a tap device, if it is there; nft reads standard input. */
export const detachScript = 'ip link delete dev "$1" 2>/dev/null || :; nft -f - 2>/dev/null || :'

/** What a guest may send, and what may reach it. */
export type GuardedCard = Pick<AttachedCard, 'tap' | 'mac' | 'address' | 'ports' | 'plugged'>

/** Guests of interfaces, which the network of an older release does not have. */
const owners = 'add map bridge pods owners { type ifname : mark; }\n'

/**
 * Returns the rules of a guest: what it may send, and to which of its ports others connect, as far
 * as NetworkPolicies let them.
 */
export function permit(card: GuardedCard): string {
  const added = elementsOf(card).map((element) => `add element bridge pods ${element}\n`)
  return [owners, ...added].join('')
}

/**
 * Inverse of {@link permit}. Adds first: nft deletes nothing when an element is missing, such as
 * one that an older agent has not added.
 */
export function revoke(card: GuardedCard): string {
  const removed = elementsOf(card).map((element) => `delete element bridge pods ${element}\n`)
  return [permit(card), ...removed].join('')
}

function elementsOf({ tap, mac, address, ports, plugged }: GuardedCard): string[] {
  if (plugged !== undefined)
    return [
      `plugged { "${tap}" }`,
      ...(plugged.checksMac ? [`checked { "${tap}" }`, `senders { "${tap}" . ${mac} }`] : []),
      ...(plugged.hasPool ? [`leased { "${tap}" }`] : []),
    ]
  return [
    `senders { "${tap}" . ${mac} }`,
    ...(address === undefined ? [] : [`sources { "${tap}" . ${mac} . ${address} }`, `owners { "${tap}" : ${addressMark(address)} }`]),
    ...(ports ?? []).map((range) => `opened { "${tap}" . ${range.protocol} . ${formatPorts(range)} }`),
    ...(ports === undefined ? [] : [`limited { "${tap}" }`]),
  ]
}
