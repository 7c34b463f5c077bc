import type { Pod } from '#api/core/v1/pod.ts'

/** Reason why a node cannot run a pod. */
export interface NodeRejection {
  /** The first broken rule, or all resources that are short. Empty: it can. */
  readonly reasons: readonly string[]
  /** Reports whether the pod would fit if others were preempted. */
  readonly preemptionHelps: boolean
}

/**
 * Message of a pod that fits no node, in Kubernetes' words: KubeVirt parses it. `problem` is one of
 * the pod itself. Pure.
 */
export function unschedulableMessage(pod: Pod, refusals: readonly NodeRejection[], problem: string | undefined): string {
  const none = `0/${refusals.length} nodes are available:`
  const why = problem ?? histogram(refusals.flatMap(({ reasons }) => reasons))
  return `${none} ${why}. preemption: ${preemption(pod, refusals, problem)}`
}

/** Preemption is not implemented: this is Kubernetes' text for a preemption that would not help. */
function preemption(pod: Pod, refusals: readonly NodeRejection[], problem: string | undefined): string {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const texts = refusals.map(({ preemptionHelps }) =>
    preemptionHelps && problem === undefined ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  )
  return `0/${refusals.length} nodes are available: ${histogram(texts)}.`
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(', ')
}
