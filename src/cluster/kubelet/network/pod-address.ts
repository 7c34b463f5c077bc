import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Pod } from '#api/core/v1/pod.ts'
import { directDialer } from '#runtime/network/network-dialer.ts'
import { lastingName, type PodNetwork } from './pod-network.ts'

/**
 * A pod with this annotation listens on an address of its own, as it would in a network of pods.
 */
const ownAddressAnnotation = 'steadyvm.io/own-address'

/** Facts of the node on which addresses of its pods depend. */
export interface NodeNetwork {
  readonly hostIP: string
  /** Undefined: this machine has none. */
  readonly network?: PodNetwork | undefined
}

/**
 * IP address of a pod. A pod of the pod network has a lasting one there. All others share the
 * machine's network: they have the node's address, and two of them cannot have the same port. A pod
 * with the annotation gets one of the two million addresses of 127.64.0.0/11 instead, so that the
 * old and the new pod of a roll-out can serve at once. It is derived from the pod's uid and needs
 * no state.
 */
export function podAddress(pod: Pod, { hostIP, network }: NodeNetwork): string {
  const { metadata } = pod
  if (network !== undefined && lastingName(pod) !== undefined) return network.addressOf(pod)
  if (metadata.annotations?.[ownAddressAnnotation] !== 'true') return hostIP
  const [a = 0, b = 0, c = 0] = createHash('sha256')
    .update(metadata.uid ?? '')
    .digest()
  // Services have 127.96.0.0/12. Neither ends of a range are hosts.
  return `127.${64 + (a % 32)}.${b}.${1 + (c % 254)}`
}

/** Connects to a pod. Rejects with the error of the system, or the reason of the signal. */
export function connectToPod({ network }: Pick<NodeNetwork, 'network'>, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return (network?.dialerFor(host) ?? directDialer).connect(host, port, signal)
}
