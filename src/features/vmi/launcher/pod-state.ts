import type { Pod } from '#api/core/v1/pod.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'

/**
 * Reports whether the launcher runs on its node. With a readiness probe it is ready later: when its
 * guest is.
 */
export function isLauncherReady(pod: Pod): boolean {
  if (pod.spec.nodeName === undefined || pod.status?.phase !== 'Running') return false
  const compute = pod.status.containerStatuses?.find(({ name }) => name === 'compute')
  return isTrue(pod.status.conditions, 'Ready') || compute?.state?.running !== undefined
}

/** Returns why the pod cannot be scheduled, or undefined. */
export function unschedulableReason(pod: Pod): { reason: string; message: string } | undefined {
  const condition = findCondition(pod.status?.conditions, 'PodScheduled')
  if (condition?.status !== 'False') return undefined
  return { reason: condition.reason ?? 'Unschedulable', message: condition.message ?? '' }
}

/** Returns why a pod has ended, from the pod or the container that failed. */
export function failureOf({ status }: Pod): string {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const failed = statuses.find(({ state }) => state?.terminated !== undefined && state.terminated.exitCode !== 0)
  const { message = '', reason = '' } = failed?.state?.terminated ?? {}
  const own = failed === undefined ? undefined : `container ${failed.name}: ${message.trim() || reason}`
  return status?.message ?? own ?? status?.reason ?? 'see its log'
}

/** Returns why an image cannot be pulled, or undefined. */
export function imageFailure(pod: Pod): { reason: 'ErrImagePull' | 'ImagePullBackOff'; message: string } | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const { state } of statuses) {
    const reason = state?.waiting?.reason
    const message = state?.waiting?.message ?? ''
    if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff') return { reason, message }
    // VMs have no status of this name.
    if (reason === 'ErrImageNeverPull') return { reason: 'ErrImagePull', message }
  }
  return undefined
}
