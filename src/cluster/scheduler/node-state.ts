import type { Node } from '#api/core/v1/node.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { type Amounts, parseAmounts, podRequests, sumAmounts } from '#api/usage/pod-requests.ts'

/** A node with its pods, as the scheduler sees it. */
export interface NodeState {
  readonly node: Node
  /** Pods that take resources: those that have not ended. */
  readonly pods: readonly Pod[]
  readonly allocatable: Amounts
  readonly requested: Amounts
}

/** Computes the state of a node. Pure. */
export function nodeState(node: Node, pods: readonly Pod[]): NodeState {
  const active = pods.filter((pod) => !isPodTerminal(pod))
  return {
    node,
    pods: active,
    allocatable: parseAmounts(node.status?.allocatable ?? node.status?.capacity),
    requested: sumAmounts(active.map(podRequests)),
  }
}

/** Free amount of a resource, in thousandths; negative when the node is overcommitted. */
export function freeOf(state: NodeState, resource: string): bigint {
  return (state.allocatable.get(resource) ?? 0n) - (state.requested.get(resource) ?? 0n)
}
