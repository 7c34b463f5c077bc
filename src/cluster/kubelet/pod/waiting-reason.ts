import { ImagePullError } from '../container/pull-image.ts'
import { ImageNeverPulled } from '../images/image-never-pulled.ts'

/** Step of a container's start that failed. */
export type Stage = 'volumes' | 'configuration'

/** Waiting reason, message and event of a container that could not be started. */
export interface WaitingReason {
  readonly reason: string
  readonly message: string
  readonly event: string
}

/**
 * Names the reason as Kubernetes does. `failures` counts from 1: the second failure of an image is
 * a back-off.
 */
export function waitingReasonOf(error: unknown, stage: Stage, failures: number): WaitingReason {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ImagePullError) {
    if (error.cause instanceof ImageNeverPulled) return { reason: 'ErrImageNeverPull', event: 'ErrImageNeverPull', message }
    return failures === 1
      ? { reason: 'ErrImagePull', event: 'Failed', message: `Failed to pull image "${error.reference}": ${message}` }
      : { reason: 'ImagePullBackOff', event: 'BackOff', message: `Back-off pulling image "${error.reference}": ${message}` }
  }
  return stage === 'volumes'
    ? { reason: 'ContainerCreating', event: 'FailedMount', message }
    : { reason: 'CreateContainerConfigError', event: 'Failed', message }
}
