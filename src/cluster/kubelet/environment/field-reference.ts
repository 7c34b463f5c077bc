import type { Pod } from '#api/core/v1/pod.ts'
import { type NodeNetwork, podAddress } from '../network/pod-address.ts'

/** Facts of the node that downward API fields refer to. */
export interface NodeFacts extends NodeNetwork {
  readonly nodeName: string
  /** Capacity of the machine, as a quantity. */
  readonly cpu: string
  readonly memory: string
}

/**
 * Value of a downward API field path such as `metadata.labels['app']`; undefined when the path is
 * not one of the downward API.
 */
export function fieldValue(pod: Pod, path: string, node: NodeFacts): string | undefined {
  const entry = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path)
  if (entry !== null) return pod.metadata?.[entry[1] as 'labels' | 'annotations']?.[entry[2] ?? ''] ?? ''
  switch (path) {
    case 'metadata.name':
      return pod.metadata?.name ?? ''
    case 'metadata.namespace':
      return pod.metadata?.namespace ?? ''
    case 'metadata.uid':
      return pod.metadata?.uid ?? ''
    case 'metadata.labels':
      return formatMap(pod.metadata?.labels)
    case 'metadata.annotations':
      return formatMap(pod.metadata?.annotations)
    case 'spec.nodeName':
      return node.nodeName
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return node.hostIP
    case 'status.podIP':
    case 'status.podIPs':
      return podAddress(pod, node)
    default:
      return undefined
  }
}

function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n')
}
