import type { Pod } from '#api/core/v1/pod.ts'

const firstMs = 10_000
const longestMs = 6 * 60_000

/**
 * Milliseconds to wait before a new pod is made, after failures in a row: 10 s, 20 s, 40 s … up to
 * 6 min since the last. Nothing but the pods themselves is remembered, so that a restart changes
 * nothing. Pure.
 */
export function retryInMs(pods: readonly Pod[], now: number): number {
  const success = Math.max(0, ...pods.filter(({ status }) => status?.phase === 'Succeeded').map(endedAt))
  const failures = pods
    .filter(({ status }) => status?.phase === 'Failed')
    .map(endedAt)
    .filter((at) => at > success)
  if (failures.length === 0) return 0
  const wait = Math.min(longestMs, firstMs * 2 ** (failures.length - 1))
  return Math.max(0, Math.max(...failures) + wait - now)
}

/**
 * Returns the end time of the last container; without one, the time of the Ready condition, of the
 * deletion or of the creation.
 */
function endedAt({ metadata, status }: Pod): number {
  const times = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? [])
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  const known = times.length > 0 ? times : [ready ?? metadata.deletionTimestamp ?? metadata.creationTimestamp ?? '']
  return Math.max(...known.map((time) => Date.parse(time) || 0))
}
