import { isIPv4 } from 'node:net'
import type { ContainerPort } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/** A pod of the pod network. Both ends of a live migration are pods with the same address. */
export interface GuestPod {
  readonly address: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly ports: readonly ContainerPort[]
}

/** Selects the pods that are in the pod network, whose traffic can be filtered. Pure. */
export function guestPods(pods: readonly Pod[], prefix: string): readonly GuestPod[] {
  return pods.flatMap(({ metadata, spec, status }) => {
    const { podIP: address = '', phase } = status ?? {}
    if (!isIPv4(address) || !address.startsWith(`${prefix}.`) || phase === 'Succeeded' || phase === 'Failed') return []
    const ports = spec.containers.flatMap((container) => container.ports ?? [])
    return [{ address, namespace: metadata.namespace ?? '', labels: metadata.labels ?? {}, ports }]
  })
}
