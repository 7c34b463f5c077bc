import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { targetNode } from './daemon-pod.ts'
import { type Eligibility, eligibilityOf } from './eligibility.ts'

/** A node, and a DaemonSet's pods on it. */
export interface NodeView extends Eligibility {
  readonly name: string
  /** Pods in every state; running ones first, then the oldest first. */
  readonly pods: readonly Pod[]
}

/** Groups the pods of a DaemonSet by node. Pods of deleted nodes belong to none. Pure. */
export function viewNodes(daemonSet: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]): readonly NodeView[] {
  const byNode = Map.groupBy(pods, targetNode)
  return nodes.map((node) => {
    const { name = '' } = node.metadata
    return { name, ...eligibilityOf(daemonSet, node), pods: (byNode.get(name) ?? []).toSorted(byUse) }
  })
}

function byUse(a: Pod, b: Pod): number {
  const isBound = ({ spec }: Pod): number => ((spec.nodeName ?? '') === '' ? 1 : 0)
  const isPending = ({ status }: Pod): number => (status?.phase === 'Running' ? 0 : 1)
  return (
    isBound(a) - isBound(b) ||
    isPending(a) - isPending(b) ||
    (Date.parse(a.metadata.creationTimestamp ?? '') || 0) - (Date.parse(b.metadata.creationTimestamp ?? '') || 0)
  )
}
