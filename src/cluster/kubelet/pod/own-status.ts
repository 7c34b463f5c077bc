import { isDeepStrictEqual } from 'node:util'
import type { PodStatus } from '#api/core/v1/pod.ts'
import { ownConditions } from './status.ts'

/** Whether two statuses say the same about everything that the kubelet owns. What servers add or leave out as empty does not count. */
export function sameOwnStatus(a: PodStatus | undefined, b: PodStatus | undefined): boolean {
  return isDeepStrictEqual(compact(ownPart(a)), compact(ownPart(b)))
}

function ownPart(status: PodStatus | undefined): unknown {
  if (status === undefined) return undefined
  const { phase, hostIP, podIP, startTime, containerStatuses, initContainerStatuses } = status
  const conditions = ownConditions.map((type) => {
    const condition = status.conditions?.find((one) => one.type === type)
    return condition === undefined ? undefined : [type, condition.status, condition.reason, condition.message]
  })
  return { phase, hostIP, podIP, startTime, containerStatuses, initContainerStatuses, conditions }
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
