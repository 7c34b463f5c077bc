import type { ContainerStatus } from '#api/core/v1/container.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { ageColumn, ageOf, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

/** Summary of a pod's containers in kubectl. */
export interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  /** Time of the last container end in milliseconds since the epoch; 0: never. */
  readonly lastRestartMs: number
}

/** Summarizes a pod as `kubectl get pods` does. */
export function summarisePod(pod: Pod): PodSummary {
  const init = summariseInit(pod)
  const initialised = init.reason === undefined || isTrue(pod.status?.conditions, 'Initialized')
  const main = initialised ? summariseMain(pod, init) : undefined
  return {
    ready: init.ready + (main?.ready ?? 0),
    total: (pod.spec?.containers ?? []).length + sidecars(pod).size,
    status: endingStatus(pod) ?? main?.reason ?? init.reason ?? phaseStatus(pod),
    restarts: main?.restarts ?? init.restarts,
    lastRestartMs: main?.lastRestartMs ?? init.lastRestartMs,
  }
}

function phaseStatus({ status }: Pod): string {
  const gated = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated') === true
  if (gated) return 'SchedulingGated'
  return orDefault(status?.reason, status?.phase ?? '')
}

function orDefault(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text
}

function endingStatus(pod: Pod): string | undefined {
  if (!isBeingDeleted(pod)) return undefined
  if (pod.status?.reason === 'NodeLost') return 'Unknown'
  return isPodTerminal(pod) ? undefined : 'Terminating'
}

/** Names of restartable init containers. */
function sidecars({ spec }: Pod): ReadonlySet<string> {
  return new Set((spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name))
}

interface InitSummary {
  readonly ready: number
  /** Reason for which initialization is incomplete. */
  readonly reason: string | undefined
  readonly restarts: number
  readonly lastRestartMs: number
  readonly sidecarRestarts: number
  readonly lastSidecarRestartMs: number
}

function summariseInit(pod: Pod): InitSummary {
  const beside = sidecars(pod)
  const statuses = pod.status?.initContainerStatuses ?? []
  const hangs = statuses.findIndex((container) => !isInitDone(container, beside))
  const reached = hangs < 0 ? statuses : statuses.slice(0, hangs + 1)
  const reachedSidecars = reached.filter(({ name }) => beside.has(name))
  const stuck = statuses[hangs]
  return {
    ready: reachedSidecars.filter((container) => container !== stuck && container.state?.terminated === undefined && container.ready)
      .length,
    reason: stuck === undefined ? undefined : initReason(stuck, hangs, (pod.spec?.initContainers ?? []).length),
    restarts: restartsOf(reached),
    lastRestartMs: lastRestartOf(reached),
    sidecarRestarts: restartsOf(reachedSidecars),
    lastSidecarRestartMs: lastRestartOf(reachedSidecars),
  }
}

function isInitDone({ name, state, started }: ContainerStatus, beside: ReadonlySet<string>): boolean {
  return state?.terminated?.exitCode === 0 || (beside.has(name) && started === true)
}

function initReason({ state }: ContainerStatus, index: number, count: number): string {
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`
  const waiting = state?.waiting?.reason ?? ''
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${count}`
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

function endReason({ reason, signal, exitCode }: Terminated): string {
  if (reason !== undefined && reason !== '') return reason
  return signal !== undefined && signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`
}

function restartsOf(containers: readonly ContainerStatus[]): number {
  return containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0)
}

function lastRestartOf(containers: readonly ContainerStatus[]): number {
  return containers.reduce((last, { lastState }) => Math.max(last, Date.parse(lastState?.terminated?.finishedAt ?? '') || 0), 0)
}

function summariseMain(pod: Pod, init: InitSummary): Omit<PodSummary, 'status' | 'total'> & { readonly reason: string | undefined } {
  const statuses = pod.status?.containerStatuses ?? []
  const running = statuses.filter(({ state, ready }) => ready && state?.running !== undefined && !isTalking(state))
  // The first container with a reason determines the status.
  const reason = statuses.map(mainReason).find((text) => text !== undefined)
  const back = isTrue(pod.status?.conditions, 'Ready') ? 'Running' : 'NotReady'
  return {
    ready: running.length,
    reason: (reason ?? init.reason ?? phaseStatus(pod)) === 'Completed' && running.length > 0 ? back : (reason ?? init.reason),
    restarts: init.sidecarRestarts + restartsOf(statuses),
    lastRestartMs: Math.max(init.lastSidecarRestartMs, lastRestartOf(statuses)),
  }
}

function isTalking(state: NonNullable<ContainerStatus['state']>): boolean {
  return (state.waiting?.reason ?? '') !== '' || state.terminated !== undefined
}

function mainReason({ state }: ContainerStatus): string | undefined {
  const waiting = state?.waiting?.reason ?? ''
  if (waiting !== '') return waiting
  return state?.terminated === undefined ? undefined : endReason(state.terminated)
}

function restartsText({ restarts, lastRestartMs }: PodSummary, nowMs: number): string {
  if (restarts === 0 || lastRestartMs === 0) return String(restarts)
  return `${restarts} (${ageOf(new Date(lastRestartMs).toISOString(), nowMs)} ago)`
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  return `${gates.filter(({ conditionType }) => isTrue(status?.conditions, conditionType)).length}/${gates.length}`
}

const column = columnsOf<Pod>()
const wide = { priority: 1 }

/** Columns of `kubectl get pods`. */
export const podColumns: readonly TableColumn[] = [
  nameColumn,
  column('Ready', (pod) => {
    const { ready, total } = summarisePod(pod)
    return `${ready}/${total}`
  }),
  column('Status', (pod) => summarisePod(pod).status),
  column('Restarts', (pod, nowMs) => restartsText(summarisePod(pod), nowMs)),
  ageColumn,
  column('IP', ({ status }) => orNone(status?.podIPs?.[0]?.ip ?? status?.podIP), wide),
  column('Node', ({ spec }) => orNone(spec?.nodeName), wide),
  column('Nominated Node', ({ status }) => orNone(status?.nominatedNodeName), wide),
  column('Readiness Gates', readinessGates, wide),
]
