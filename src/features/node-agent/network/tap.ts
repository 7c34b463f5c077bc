import { createHash } from 'node:crypto'

/**
 * Returns the name of a card's tap device: each launcher of a guest has its own. At most 15
 * characters.
 */
export function tapName(podUid: string, card: string): string {
  return `tap${createHash('sha256').update(`${podUid}/${card}`).digest('hex').slice(0, 12)}`
}

/**
 * Shell script that creates a tap device for a user and makes it a port of a bridge; nft reads
 * standard input.
 */
export const attachScript =
  'ip link show dev "$1" >/dev/null 2>&1 || ip tuntap add dev "$1" mode tap user "$2"; ip link set dev "$1" master "$3" up; exec nft -f -'
/** Shell script that removes a tap device, if it is there; nft reads standard input. */
export const detachScript = 'ip link delete dev "$1" 2>/dev/null || :; nft -f - 2>/dev/null || :'

/** Addresses that the guest behind a tap device may send from. */
export interface Sender {
  readonly tap: string
  readonly mac: string
  readonly address: string
}

/** Rules that let a guest send from its own addresses. */
export function permit({ tap, mac, address }: Sender): string {
  return `add element bridge pods senders { "${tap}" . ${mac} }\n` + `add element bridge pods sources { "${tap}" . ${mac} . ${address} }\n`
}

/** Inverse of {@link permit}. */
export function revoke({ tap, mac, address }: Sender): string {
  return (
    `delete element bridge pods senders { "${tap}" . ${mac} }\n` + `delete element bridge pods sources { "${tap}" . ${mac} . ${address} }\n`
  )
}
