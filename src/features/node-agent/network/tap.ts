import { createHash } from 'node:crypto'
import type { Interface } from '#qemu/index.ts'

/**
 * Returns the name of a card's tap device: each launcher of a guest has its own. At most 15
 * characters.
 */
export function tapName(podUid: string, card: string): string {
  return `tap${createHash('sha256').update(`${podUid}/${card}`).digest('hex').slice(0, 12)}`
}

/** Returns the flag of a card's tap device; empty for none. QEMU opens a device only as it is. */
export function queueFlag({ queues }: Pick<Interface, 'queues'>): '' | 'multi_queue' {
  return queues === undefined ? '' : 'multi_queue'
}

/**
 * Shell function `create_tap NAME USER FLAG`, which creates a tap device for a user if it is not
 * there. The flag is that of {@link queueFlag}.
 */
export const createTap = 'create_tap() { ip link show dev "$1" >/dev/null 2>&1 || ip tuntap add dev "$1" mode tap user "$2" $3; }\n'
