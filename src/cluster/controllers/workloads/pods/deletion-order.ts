import type { Pod } from '#api/core/v1/pod.ts'
import { isReady, readySince, restartsOf } from './pod-state.ts'

/** Annotation by which users rank pods for deletion; an integer, default 0. */
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

const phases = ['Pending', 'Unknown', 'Running']

/**
 * The pods to delete when there are too many: those first that do the least. `related` counts a
 * controller's pods by node. Pure.
 */
export function choosePodsToDelete(active: readonly Pod[], count: number, related: ReadonlyMap<string, number>): readonly Pod[] {
  const ranked = active.map((pod) => ({ pod, rank: rankOf(pod, related) }))
  return ranked
    .toSorted((a, b) => compareRanks(a.rank, b.rank))
    .slice(0, count)
    .map(({ pod }) => pod)
}

/** Compared place by place; the lower goes first. */
function rankOf(pod: Pod, related: ReadonlyMap<string, number>): readonly number[] {
  const { nodeName = '' } = pod.spec
  return [
    nodeName === '' ? 0 : 1,
    phases.indexOf(pod.status?.phase ?? 'Pending'),
    isReady(pod) ? 1 : 0,
    deletionCost(pod),
    -(related.get(nodeName) ?? 0),
    -(readySince(pod) ?? 0),
    -restartsOf(pod),
    -(Date.parse(pod.metadata.creationTimestamp ?? '') || 0),
  ]
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCostAnnotation] ?? '0'
  return /^-?\d+$/.test(text) ? Number(text) : 0
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [place, value] of a.entries()) {
    const difference = value - (b[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
