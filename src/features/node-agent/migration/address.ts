import type { NetworkInterfaceInfo } from 'node:os'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'

/** Name of the migration network's interface, as in KubeVirt. */
const migrationInterface = 'migration0'

/** Addresses of a node. */
export interface NodeAddresses {
  /** Listen address set by the administrator. */
  readonly chosen?: string
  /** Address of the agent's pod. */
  readonly pod: string
  /** Interfaces of the node by name. */
  readonly interfaces: Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'internal'>[] | undefined>>
}

/**
 * Returns the listen address for migrations: the configured one, the migration network's, or the
 * agent's. An agent on a loopback address shares its machine with all other nodes. @throws
 * UnsupportedGuest when the node is not in the migration network
 */
export function migrationAddress({ chosen, pod, interfaces }: NodeAddresses, network: string | undefined): string {
  if (chosen !== undefined) return chosen
  if (network === undefined || isLoopback(pod)) return pod
  const found = interfaces[migrationInterface]?.find(({ address, internal }) => !internal && !isLinkLocal(address))
  // Falling back to the pod network would load the network that the administrator wants to spare.
  if (found === undefined)
    throw new UnsupportedGuest(`guests move by network ${network}, and this node has no address at ${migrationInterface}`)
  return found.address
}

/**
 * Returns the name to expect in the target's certificate: `shared` if all nodes have one
 * certificate, otherwise the node's name, or its machine's on loopback.
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
