import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod, PodCondition } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/** Reports whether the pod has succeeded or failed. */
export function isOver({ status }: Pod): boolean {
  return isPodTerminal({ status })
}

/** Reports whether the pod is being deleted. */
export function isTerminating({ metadata }: Pod): boolean {
  return isBeingDeleted({ metadata })
}

/** Reports whether the pod runs, or will. */
export function isActive(pod: Pod): boolean {
  return !isOver(pod) && !isTerminating(pod)
}

/** Reports whether the pod is ready. */
export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True'
}

/** Milliseconds since the epoch since when the pod serves; undefined when it does not. */
export function readySince(pod: Pod): number | undefined {
  const ready = readyCondition(pod)
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') || 0 : undefined
}

/**
 * Milliseconds until the pod has served for `minReadySeconds`; 0 when it has, undefined when it
 * does not serve.
 */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod)
  if (since === undefined) return undefined
  return minReadySeconds === 0 ? 0 : Math.max(0, since + minReadySeconds * 1000 - now)
}

/** Reports whether the pod has been ready for minReadySeconds. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return availableInMs(pod, minReadySeconds, now) === 0
}

/** Milliseconds until the next of the pods becomes available by the passing of time alone. */
export function nextAvailabilityMs(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, now) ?? []).filter((wait) => wait > 0)
  return waits.length === 0 ? undefined : Math.min(...waits)
}

/** Restarts of all containers. */
export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0)
}

function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}
