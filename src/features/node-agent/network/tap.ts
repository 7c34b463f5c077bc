import { createHash } from 'node:crypto'
import type { Interface } from '#qemu/index.ts'
import { formatPorts, type OpenPorts } from './open-ports.ts'

/**
 * Returns the name of a card's tap device: each launcher of a guest has its own. At most 15
 * characters.
 */
export function tapName(podUid: string, card: string): string {
  return `tap${createHash('sha256').update(`${podUid}/${card}`).digest('hex').slice(0, 12)}`
}

/**
 * Shell script that creates a tap device for a user, with `multi_queue` as the last argument for a
 * card of several queues, and makes it a port of a bridge; nft reads standard input.
 */
export const attachScript =
  'ip link show dev "$1" >/dev/null 2>&1 || ip tuntap add dev "$1" mode tap user "$2" $4; ip link set dev "$1" master "$3" up; exec nft -f -'
/** Returns the flag of a card's tap device; empty for none. QEMU opens a device only as it is. */
export function queueFlag({ queues }: Pick<Interface, 'queues'>): '' | 'multi_queue' {
  return queues === undefined ? '' : 'multi_queue'
}

/** Shell script that removes a tap device, if it is there; nft reads standard input. */
export const detachScript = 'ip link delete dev "$1" 2>/dev/null || :; nft -f - 2>/dev/null || :'

/** A tap device, the addresses that its guest may send from, and the ports that are open. */
export interface Sender {
  readonly tap: string
  readonly mac: string
  readonly address: string
  /** Absent: all. */
  readonly ports?: readonly OpenPorts[]
}

/**
 * Returns the rules of a guest: it sends from its own addresses, and others connect to its open
 * ports.
 */
export function permit(sender: Sender): string {
  return elementsOf(sender)
    .map((element) => `add element bridge pods ${element}\n`)
    .join('')
}

/** Inverse of {@link permit}. */
export function revoke(sender: Sender): string {
  return elementsOf(sender)
    .map((element) => `delete element bridge pods ${element}\n`)
    .join('')
}

function elementsOf({ tap, mac, address, ports }: Sender): string[] {
  return [
    `senders { "${tap}" . ${mac} }`,
    `sources { "${tap}" . ${mac} . ${address} }`,
    ...(ports ?? []).map((range) => `opened { "${tap}" . ${range.protocol} . ${formatPorts(range)} }`),
    ...(ports === undefined ? [] : [`limited { "${tap}" }`]),
  ]
}
