import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ExitedRecord, RunningRecord } from '../container/container.ts'

/** Reason for which a container could not be started, and the time of the next try. */
export interface StartFailure {
  readonly reason: string
  readonly message: string
  /** Milliseconds since the epoch. */
  readonly retryAt: number
}

/** State of one container at one instant: the input of every decision about its pod. */
export interface ContainerView {
  readonly current: RunningRecord | ExitedRecord | undefined
  readonly previous: ExitedRecord | undefined
  /** Its startup probe passed in this run, or it has none and runs. */
  readonly started: boolean
  /** Its readiness probe says so, or it has none and is started. */
  readonly ready: boolean
  readonly startFailure: StartFailure | undefined
  /** Quick restarts in a row, since this kubelet started. */
  readonly backoffLevel: number
  /** Resources in effect. Undefined: those of the spec. */
  readonly resources?: Container['resources']
}

/** Views by container name, init containers included. */
export type ContainerViews = ReadonlyMap<string, ContainerView>

/** A container that has never run. */
export const unknownContainer: ContainerView = {
  current: undefined,
  previous: undefined,
  started: false,
  ready: false,
  startFailure: undefined,
  backoffLevel: 0,
}

/** The view of one container. */
export function viewOf(views: ContainerViews, name: string): ContainerView {
  return views.get(name) ?? unknownContainer
}

/** Init containers that keep running beside the others. */
export function isSidecar(container: Container): boolean {
  return (container as { restartPolicy?: string }).restartPolicy === 'Always'
}

/** Init containers, then the others. */
export function allContainers(pod: Pod): readonly Container[] {
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]
}
