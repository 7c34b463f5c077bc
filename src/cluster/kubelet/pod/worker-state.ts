import { isPodPhaseTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Container, ExitedRecord } from '../container/container.ts'
import { allContainers, type ContainerViews, isSidecar, type StartFailure } from './container-view.ts'
import { finalPlan, planPod, type PodPlan } from './plan.ts'
import { nextRun, restartDelayMs } from './restart-backoff.ts'
import { deadlineExceeded } from './status.ts'
import type { WaitingReason } from './waiting-reason.ts'

/**
 * State of a pod worker between two steps. Records of containers are on disk and not part of it.
 */
export interface WorkerState {
  /** Time at which the kubelet accepted the pod, in milliseconds since the epoch. */
  readonly acceptedAt: number
  /** Set once the pod must end; milliseconds since the epoch. */
  readonly terminateBy: number | undefined
  /** Volumes are in place. */
  readonly prepared: boolean
  /** All processes have ended and the pod directory is being removed. */
  readonly removing: boolean
  readonly containers: ReadonlyMap<string, ContainerHistory>
}

/** Failures of one container, known to this kubelet only. */
export interface ContainerHistory {
  readonly startFailure: StartFailure | undefined
  /** Start failures in a row. */
  readonly failures: number
  readonly backoffLevel: number
}

/** One step of a pod worker. */
export type WorkerStep =
  /** End all containers, stage by stage, then remove the pod. */
  | { readonly kind: 'terminate'; readonly stages: readonly (readonly string[])[] }
  /** Stop and start containers, report the plan as status, and decide again at `wakeAt`. */
  | {
      readonly kind: 'run'
      readonly plan: PodPlan
      readonly stop: readonly string[]
      readonly start: readonly string[]
      /** Milliseconds since the epoch. */
      readonly wakeAt: number | undefined
      /** Status reason and message of a pod that has exceeded activeDeadlineSeconds. */
      readonly expired?: { readonly reason: string; readonly message: string }
    }

/** Runs of a container, live or from its records. */
export type ContainerRuns = Pick<Container, 'current' | 'previous'>

const noHistory: ContainerHistory = { startFailure: undefined, failures: 0, backoffLevel: 0 }

/**
 * State of a worker that takes over a pod with the containers that an earlier kubelet left. Pure.
 */
export function initialState(
  saved: { readonly acceptedAt: number; readonly terminateBy?: number },
  runs: readonly ContainerRuns[],
): WorkerState {
  return {
    acceptedAt: saved.acceptedAt,
    terminateBy: saved.terminateBy,
    prepared: runs.some(({ current }) => current !== undefined),
    removing: false,
    containers: new Map(),
  }
}

/**
 * Moves the deadline of the termination forward, never back; the same state if nothing changes.
 * Pure.
 */
export function withTermination(state: WorkerState, deadline: number): WorkerState {
  const sooner = state.terminateBy === undefined || deadline < state.terminateBy
  return state.removing || !sooner ? state : { ...state, terminateBy: deadline }
}

/** Records that a container could not be started, with the next try after a back-off. Pure. */
export function withStartFailure(
  state: WorkerState,
  name: string,
  reason: Pick<WaitingReason, 'reason' | 'message'>,
  now: number,
): WorkerState {
  const failures = failuresOf(state, name) + 1
  const startFailure = { reason: reason.reason, message: reason.message, retryAt: now + restartDelayMs(failures) }
  return withHistory(state, name, { failures, startFailure })
}

/** Records that a container is started after `ended`, its run before. Pure. */
export function withStart(state: WorkerState, name: string, ended: ExitedRecord | undefined): WorkerState {
  const level = historyOf(state, name).backoffLevel
  const backoffLevel = ended === undefined ? level : nextRun(ended, level).level
  return withHistory(state, name, { failures: 0, startFailure: undefined, backoffLevel })
}

/** Start failures of a container in a row. */
export function failuresOf(state: WorkerState, name: string): number {
  return historyOf(state, name).failures
}

/** History of one container, empty at first. */
export function historyOf(state: WorkerState, name: string): ContainerHistory {
  return state.containers.get(name) ?? noHistory
}

function withHistory(state: WorkerState, name: string, change: Partial<ContainerHistory>): WorkerState {
  return { ...state, containers: new Map(state.containers).set(name, { ...historyOf(state, name), ...change }) }
}

/**
 * Decides the next step. Pure.
 *
 *     must end                              -> terminate: sidecars after all others
 *     active for too long, still at work    -> run: stop what runs, phase Failed, DeadlineExceeded
 *     otherwise                             -> run: what the plan says
 */
export function nextStep(pod: Pod, state: WorkerState, views: ContainerViews, now: number): WorkerStep {
  if (state.terminateBy !== undefined) {
    const specs = allContainers(pod)
    const names = (sidecars: boolean): readonly string[] => specs.filter((spec) => isSidecar(spec) === sidecars).map(({ name }) => name)
    return { kind: 'terminate', stages: [names(false), names(true)] }
  }
  const activeUntil = activeUntilOf(pod, state)
  const plan = planPod(pod, views, now)
  if (now >= activeUntil && !endedBefore(activeUntil, plan, views)) return expire(pod, views)
  const recheckAt = Math.min(plan.recheckAt ?? Infinity, isPodPhaseTerminal(plan.phase) ? Infinity : activeUntil)
  const { start, stop } = plan
  return { kind: 'run', plan, start, stop, wakeAt: recheckAt === Infinity ? undefined : recheckAt }
}

function expire(pod: Pod, views: ContainerViews): WorkerStep {
  return {
    kind: 'run',
    plan: { ...finalPlan(pod, views), phase: 'Failed' },
    stop: [...views].filter(([, view]) => view.current?.state === 'running').map(([name]) => name),
    start: [],
    wakeAt: undefined,
    expired: { reason: deadlineExceeded, message: 'Pod was active on the node longer than the specified deadline' },
  }
}

/**
 * Returns the time at which the pod exceeds activeDeadlineSeconds, which may be shortened while it
 * runs.
 */
function activeUntilOf(pod: Pod, state: WorkerState): number {
  const seconds = pod.spec.activeDeadlineSeconds
  return seconds === undefined ? Infinity : state.acceptedAt + seconds * 1000
}

/** Reports whether the pod had ended by itself in time: its result is then kept. */
function endedBefore(time: number, plan: PodPlan, views: ContainerViews): boolean {
  const inTime = [...views.values()].every(
    ({ current }) => current === undefined || (current.state === 'exited' && current.exit.finishedAt < time),
  )
  return isPodPhaseTerminal(plan.phase) && inTime
}
