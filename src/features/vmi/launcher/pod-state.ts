import type { Pod } from '#api/core/v1/pod.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'

/** Whether the launcher waits on its node. */
export function isLauncherReady(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.status?.phase === 'Running' && isTrue(pod.status.conditions, 'Ready')
}

/** Why no node takes the pod, or undefined. */
export function unschedulableReason(pod: Pod): { reason: string; message: string } | undefined {
  const condition = findCondition(pod.status?.conditions, 'PodScheduled')
  if (condition?.status !== 'False') return undefined
  return { reason: condition.reason ?? 'Unschedulable', message: condition.message ?? '' }
}

/** Why an image cannot be had, or undefined. */
export function imageFailure(pod: Pod): { reason: 'ErrImagePull' | 'ImagePullBackOff'; message: string } | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const { state } of statuses) {
    const reason = state?.waiting?.reason
    if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff') return { reason, message: state?.waiting?.message ?? '' }
  }
  return undefined
}
