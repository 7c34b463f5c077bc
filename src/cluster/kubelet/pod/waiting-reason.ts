import { ImagePullError } from '../container/pull-image.ts'

/** What was being done when a container could not be started. */
export type Stage = 'volumes' | 'configuration'

/** Why a container waits, and the event that tells of it. */
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
    return failures === 1
      ? { reason: 'ErrImagePull', event: 'Failed', message: `Failed to pull image "${error.reference}": ${message}` }
      : { reason: 'ImagePullBackOff', event: 'BackOff', message: `Back-off pulling image "${error.reference}": ${message}` }
  }
  return stage === 'volumes'
    ? { reason: 'ContainerCreating', event: 'FailedMount', message }
    : { reason: 'CreateContainerConfigError', event: 'Failed', message }
}
