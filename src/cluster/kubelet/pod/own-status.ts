import { isDeepStrictEqual } from 'node:util'
import type { PodStatus } from '#api/core/v1/pod.ts'
import { deadlineExceeded, ownConditions } from './status.ts'

/**
 * Compares the parts of two statuses that the kubelet owns, ignoring empty fields that the API
 * server adds or drops.
 */
export function sameOwnStatus(a: PodStatus | undefined, b: PodStatus | undefined): boolean {
  return isDeepStrictEqual(compact(ownPart(a)), compact(ownPart(b)))
}

function ownPart(status: PodStatus | undefined): unknown {
  if (status === undefined) return undefined
  const { phase, reason, observedGeneration, hostIP, podIP, startTime, containerStatuses, initContainerStatuses } = status
  const conditions = ownConditions.map((type) => {
    const condition = status.conditions?.find((one) => one.type === type)
    return condition === undefined ? undefined : [type, condition.status, condition.reason, condition.message]
  })
  // Others say why they evicted a pod; the kubelet says only that its time is up.
  const why = reason === deadlineExceeded ? reason : undefined
  return { phase, why, observedGeneration, hostIP, podIP, startTime, containerStatuses, initContainerStatuses, conditions }
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact)
  if (typeof value !== 'object' || value === null) return value === null || value === '' ? undefined : value
  const entries = Object.entries(value).flatMap(([key, child]) => {
    const kept = compact(child)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
