import type { NetworkInterfaceInfo } from 'node:os'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'

/** KubeVirt's name of the interface by which a node is in the network for migrations. */
const migrationInterface = 'migration0'

/** Where a node can be reached. */
export interface NodeAddresses {
  /** What its administrator has chosen for guests that come; undefined: nothing. */
  readonly chosen?: string
  /** The agent's own. */
  readonly pod: string
  /** Of the node, by name. */
  readonly interfaces: Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'internal'>[] | undefined>>
}

/**
 * Where guests that come to a node are received: where it was told to, else in the network for
 * migrations, if the cluster has one, else where the agent is reached. An agent of a loopback
 * address has no neighbours but on its own machine, and no other network. @throws UnsupportedGuest
 * when the node is not in that network
 */
export function migrationAddress({ chosen, pod, interfaces }: NodeAddresses, network: string | undefined): string {
  if (chosen !== undefined) return chosen
  if (network === undefined || isLoopback(pod)) return pod
  const found = interfaces[migrationInterface]?.find(({ address, internal }) => !internal && !isLinkLocal(address))
  // The pod's own network would do, and is the one that the administrator wants to keep free.
  if (found === undefined)
    throw new UnsupportedGuest(`guests move by network ${network}, and this node has no address at ${migrationInterface}`)
  return found.address
}

/**
 * The name that the certificate of a target has to have: `shared` if all nodes have one. Otherwise
 * each has its own, but those of one machine.
 */
export function targetNameOf(address: string, node: string, shared?: string): string {
  return shared ?? (isLoopback(address) ? 'localhost' : node)
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address) || address.startsWith('169.254.')
}
