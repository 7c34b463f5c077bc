import type { Job } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { judgeFailure } from '../policies/failure-policy.ts'
import { indexOf } from './indexes.ts'
import { failureCountKey, ignoredFailureCountKey } from '../names.ts'

/** Failures of the pods that had the index of a pod before it. */
export interface IndexFailures {
  readonly counted: number
  readonly ignored: number
}

/** Failures that a pod was made after; they are in its annotations. */
export function failuresBefore({ metadata }: Pod): IndexFailures {
  const read = (key: string): number => Number(/^\d{1,9}$/.exec(metadata.annotations?.[key] ?? '')?.[0] ?? 0)
  return { counted: read(failureCountKey), ignored: read(ignoredFailureCountKey) }
}

/** Failures for the pod that replaces one that has failed; none without such a pod. Pure. */
export function failuresAfter({ spec }: Job, failed: Pod | undefined): IndexFailures {
  if (failed === undefined) return { counted: 0, ignored: 0 }
  const { counted, ignored } = failuresBefore(failed)
  const isIgnored = judgeFailure(spec.podFailurePolicy, failed).action === 'Ignore'
  return isIgnored ? { counted, ignored: ignored + 1 } : { counted: counted + 1, ignored }
}

/** Reports whether the failure of this pod is the last one that its index may have. Pure. */
export function exhaustsIndex({ spec }: Job, failed: Pod): boolean {
  const { action } = judgeFailure(spec.podFailurePolicy, failed)
  if (action === 'FailIndex') return true
  return action !== 'Ignore' && failuresBefore(failed).counted >= (spec.backoffLimitPerIndex ?? Infinity)
}

/** Reports whether another pod was made after this one had failed. Pure. */
export function isReplaced(failed: Pod, pods: readonly Pod[]): boolean {
  const index = indexOf(failed)
  return pods.some((pod) => indexOf(pod) === index && total(pod) > total(failed))
}

function total(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod)
  return counted + ignored
}
