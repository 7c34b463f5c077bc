import type { Container, ContainerState, ContainerStatus } from '#api/core/v1/container.ts'
import type { Pod, PodCondition, PodStatus } from '#api/core/v1/pod.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { ExitedRecord, RunningRecord } from '../container/container.ts'
import { markerOf } from '../process/process-marker.ts'
import { type ContainerView, type ContainerViews, viewOf } from './container-view.ts'
import type { PodPlan, Waiting } from './plan.ts'

/** Input of {@link podStatus} beside the plan. */
export interface StatusContext {
  readonly podUid: string
  readonly hostIP: string
  /** Address of the pod. */
  readonly podIP: string
  /** Time at which the kubelet accepted the pod, in milliseconds since the epoch. */
  readonly startTime: number
  readonly now: number
  /** Volumes are in place. */
  readonly prepared: boolean
  /** A static pod has no scheduler: the kubelet answers for PodScheduled too. */
  readonly isStatic: boolean
  /** Status that was reported last, for transition times that must not change. */
  readonly last: PodStatus | undefined
}

/**
 * Conditions that the kubelet owns. Those of readiness gates and the scheduler are never touched.
 */
export const ownConditions: readonly string[] = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady']

/** Reason of a pod that exceeded its activeDeadlineSeconds. */
export const deadlineExceeded = 'DeadlineExceeded'

/**
 * The part of a pod's status that the kubelet owns, computed from nothing but its arguments. Pure.
 */
export function podStatus(pod: Pod, plan: PodPlan, views: ContainerViews, context: StatusContext): PodStatus {
  const statuses = (containers: readonly Container[] | undefined): ContainerStatus[] =>
    (containers ?? []).map((container) =>
      containerStatus(container, viewOf(views, container.name), plan.waiting.get(container.name), context.podUid),
    )
  const init = statuses(pod.spec?.initContainers)
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase: plan.phase,
    conditions: conditionsOf(pod, plan, views, context),
    hostIP: context.hostIP,
    hostIPs: [{ ip: context.hostIP }],
    podIP: context.podIP,
    podIPs: [{ ip: context.podIP }],
    startTime: timestamp(context.startTime),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: statuses(pod.spec?.containers),
  }
}

function containerStatus(container: Container, view: ContainerView, waiting: Waiting | undefined, podUid: string): ContainerStatus {
  const { current, previous } = view
  const last = current?.state === 'exited' && waiting !== undefined ? current : previous
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: current?.image ?? '',
    ...(current === undefined ? {} : { containerID: containerIdOf(podUid, current) }),
    ready: view.ready,
    started: view.started,
    restartCount: current?.restart ?? 0,
    state: stateOf(current, waiting, podUid),
    ...(current?.state === 'running' ? { resources: view.resources ?? container.resources ?? {} } : {}),
    lastState: last === undefined ? {} : terminated(podUid, last),
  }
}

function stateOf(current: RunningRecord | ExitedRecord | undefined, waiting: Waiting | undefined, podUid: string): ContainerState {
  if (current?.state === 'running') return { running: { startedAt: timestamp(current.startedAt) } }
  if (waiting !== undefined) return { waiting: { ...waiting } }
  if (current === undefined) return { waiting: { reason: 'ContainerCreating' } }
  return terminated(podUid, current)
}

function terminated(podUid: string, record: ExitedRecord): ContainerState {
  const { exitCode, signal, reason, message, finishedAt } = record.exit
  return {
    terminated: {
      exitCode,
      ...(signal === undefined ? {} : { signal }),
      reason,
      ...(message === undefined ? {} : { message }),
      startedAt: timestamp(record.startedAt),
      finishedAt: timestamp(finishedAt),
      containerID: containerIdOf(podUid, record),
    },
  }
}

function containerIdOf(podUid: string, record: RunningRecord | ExitedRecord): string {
  return `steadyvm://${markerOf(podUid, record.container, record.restart)}`
}

interface Verdict {
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

function conditionsOf(pod: Pod, plan: PodPlan, views: ContainerViews, context: StatusContext): PodCondition[] {
  const containersReady = containersReadyVerdict(pod, plan, views)
  const verdicts: [string, Verdict][] = [
    ['PodReadyToStartContainers', { status: context.prepared ? 'True' : 'False' }],
    ['Initialized', initializedVerdict(pod, plan, views)],
    ['Ready', readyVerdict(pod, containersReady)],
    ['ContainersReady', containersReady],
  ]
  if (context.isStatic) verdicts.push(['PodScheduled', { status: 'True' }])
  return verdicts.map(([type, verdict]) => withTransition(context, type, verdict))
}

// A transition time of the same status is kept, or every status would differ from the one before.
function withTransition(context: StatusContext, type: string, verdict: Verdict): PodCondition {
  const old = context.last?.conditions?.find((condition) => condition.type === type)
  const since = old?.status === verdict.status ? old.lastTransitionTime : undefined
  return { type, ...verdict, lastTransitionTime: since ?? timestamp(context.now) }
}

function containersReadyVerdict(pod: Pod, plan: PodPlan, views: ContainerViews): Verdict {
  if (plan.phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (plan.phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = namesWhere(pod.spec?.containers, (name) => !viewOf(views, name).ready)
  if (unready.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` }
}

function readyVerdict(pod: Pod, containersReady: Verdict): Verdict {
  if (containersReady.status === 'False') return containersReady
  const missing = (pod.spec?.readinessGates ?? [])
    .map((gate) => gate.conditionType)
    .filter((type) => pod.status?.conditions?.find((condition) => condition.type === type)?.status !== 'True')
  if (missing.length === 0) return { status: 'True' }
  const message = missing.map((type) => `corresponding condition of pod readiness gate "${type}" does not exist or is not True`).join(', ')
  return { status: 'False', reason: 'ReadinessGatesNotReady', message }
}

function initializedVerdict(pod: Pod, plan: PodPlan, views: ContainerViews): Verdict {
  if (plan.initialized) return { status: 'True' }
  const incomplete = namesWhere(pod.spec?.initContainers, (name) => {
    const { current } = viewOf(views, name)
    return !(current?.state === 'exited' && current.exit.exitCode === 0)
  })
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.join(' ')}]`,
  }
}

function namesWhere(containers: readonly Container[] | undefined, matches: (name: string) => boolean): readonly string[] {
  return (containers ?? []).map((container) => container.name).filter(matches)
}
