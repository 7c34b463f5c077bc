import { createHash } from 'node:crypto'
import type { Pod } from '#api/core/v1/pod.ts'

/**
 * A pod with this annotation listens on an address of its own, as it would in a network of pods.
 */
const ownAddressAnnotation = 'steadyvm.io/own-address'

/**
 * IP address of a pod. All pods share the machine's network: that is the node's address, and two of
 * them cannot have the same port. A pod with the annotation gets one of the two million addresses
 * of
 * 127.64.0.0/11 instead, so that the old and the new pod of a roll-out can serve at once. It is
 * derived from the pod's uid and needs no state. Pure.
 */
export function podAddress({ metadata }: Pod, nodeAddress: string): string {
  if (metadata.annotations?.[ownAddressAnnotation] !== 'true') return nodeAddress
  const [a = 0, b = 0, c = 0] = createHash('sha256')
    .update(metadata.uid ?? '')
    .digest()
  // Services have 127.96.0.0/12. Neither ends of a range are hosts.
  return `127.${64 + (a % 32)}.${b}.${1 + (c % 254)}`
}
