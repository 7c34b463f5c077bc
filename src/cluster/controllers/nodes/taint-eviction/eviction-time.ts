import type { Taint } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { tolerates } from '#cluster/taints/tolerates.ts'

/**
 * Returns the time at which a pod must leave a node with these taints, in milliseconds since the
 * epoch: 0 for at once, Infinity for never, otherwise the end of the shortest toleration. `seenAt`
 * is the start time of taints without `timeAdded`. Pure.
 */
export function evictionTime(pod: Pod, taints: readonly Taint[], seenAt: number): number {
  const tolerations = pod.spec.tolerations ?? []
  const boundAt = timeOf(pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.lastTransitionTime)
  const times = taints
    .filter(({ effect }) => effect === 'NoExecute')
    .map((taint) => {
      const borne = tolerations.filter((toleration) => tolerates(toleration, taint)).map(({ tolerationSeconds }) => tolerationSeconds)
      if (borne.length === 0) return 0
      const seconds = Math.min(...borne.map((limit) => limit ?? Infinity))
      if (seconds <= 0) return 0
      return Math.max(timeOf(taint.timeAdded) || seenAt, boundAt) + seconds * 1000
    })
  return Math.min(Infinity, ...times)
}

function timeOf(text: string | null | undefined): number {
  return text === undefined || text === null ? 0 : Date.parse(text)
}
