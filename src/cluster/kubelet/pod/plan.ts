import type { Container } from '#api/core/v1/container.ts'
import { isPodPhaseTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { type ContainerView, type ContainerViews, isSidecar, viewOf } from './container-view.ts'
import { nextRun } from './restart-backoff.ts'

/** Phase of a pod that a node runs. */
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

/** A container that waits, and what for. */
export interface Waiting {
  readonly reason: string
  readonly message?: string
}

/** Next actions for a pod that must run. */
export interface PodPlan {
  /** Containers to start now. */
  readonly start: readonly string[]
  /** Sidecars to end, because the pod's work is done. */
  readonly stop: readonly string[]
  /** Milliseconds since the epoch at which the plan may change by itself. */
  readonly recheckAt: number | undefined
  readonly waiting: ReadonlyMap<string, Waiting>
  readonly initialized: boolean
  readonly phase: PodPhase
}

type Step =
  | { readonly kind: 'start' }
  | { readonly kind: 'wait'; readonly until: number | undefined; readonly waiting: Waiting }
  | { readonly kind: 'running' }
  | { readonly kind: 'over'; readonly succeeded: boolean }

/** Decides which containers run next. Pure. */
export function planPod(pod: Pod, views: ContainerViews, now: number): PodPlan {
  const policy = pod.spec?.restartPolicy ?? 'Always'
  const init = planInit(pod, views, policy, now)
  const mains = pod.spec?.containers ?? []
  const steps = new Map(init.steps)
  for (const container of mains) {
    if (init.done) steps.set(container.name, stepOf(viewOf(views, container.name), policy, now))
    else steps.set(container.name, { kind: 'wait', until: undefined, waiting: { reason: 'PodInitializing' } })
  }
  const phase = init.failed ? 'Failed' : init.done ? phaseOf(mains, steps, views) : 'Pending'
  const over = isPodPhaseTerminal(phase)
  const running = (pod.spec?.initContainers ?? []).filter((one) => isSidecar(one) && viewOf(views, one.name).current?.state === 'running')
  return {
    start: over ? [] : [...steps].filter(([, step]) => step.kind === 'start').map(([name]) => name),
    stop: over ? running.map((container) => container.name) : [],
    recheckAt: over ? undefined : earliest(steps),
    waiting: new Map([...steps].flatMap(([name, step]) => (step.kind === 'wait' ? [[name, step.waiting] as const] : []))),
    initialized: init.done,
    phase,
  }
}

/** The last word about a pod that was ended: no container runs, and none will. Pure. */
export function finalPlan(pod: Pod, views: ContainerViews): PodPlan {
  const mains = pod.spec?.containers ?? []
  const succeeded = mains.every((container) => {
    const { current } = viewOf(views, container.name)
    return current?.state === 'exited' && current.exit.exitCode === 0
  })
  const initialized = mains.some((container) => viewOf(views, container.name).current !== undefined)
  return { start: [], stop: [], recheckAt: undefined, waiting: new Map(), initialized, phase: succeeded ? 'Succeeded' : 'Failed' }
}

interface InitPlan {
  readonly steps: ReadonlyMap<string, Step>
  readonly done: boolean
  readonly failed: boolean
}

function planInit(pod: Pod, views: ContainerViews, policy: string, now: number): InitPlan {
  const steps = new Map<string, Step>()
  // Initialization is complete once a main container has run: from then on only sidecars may
  // restart.
  const past = (pod.spec?.containers ?? []).some((container) => viewOf(views, container.name).current !== undefined)
  let open = true
  let failed = false
  for (const container of pod.spec?.initContainers ?? []) {
    const view = viewOf(views, container.name)
    if (isSidecar(container)) {
      if (!open && !past) continue
      steps.set(container.name, stepOf(view, 'Always', now))
      open &&= view.current?.state === 'running' && view.started
      continue
    }
    if (!open || past) continue
    const step = stepOf(view, policy === 'Always' ? 'OnFailure' : policy, now)
    steps.set(container.name, step)
    open = step.kind === 'over' && step.succeeded
    failed ||= step.kind === 'over' && !step.succeeded
  }
  return { steps, done: past || open, failed: failed && !past }
}

function stepOf(view: ContainerView, policy: string, now: number): Step {
  const { current, startFailure, backoffLevel } = view
  if (current?.state === 'running') return { kind: 'running' }
  if (current?.state === 'exited') {
    const succeeded = current.exit.exitCode === 0
    if (policy === 'Never' || (policy === 'OnFailure' && succeeded)) return { kind: 'over', succeeded }
    const { startAt, delayMs } = nextRun(current, backoffLevel)
    if (now < startAt) return { kind: 'wait', until: startAt, waiting: crashLoop(current.container, delayMs) }
  }
  if (startFailure !== undefined && now < startFailure.retryAt) {
    return { kind: 'wait', until: startFailure.retryAt, waiting: { reason: startFailure.reason, message: startFailure.message } }
  }
  return { kind: 'start' }
}

function crashLoop(container: string, delayMs: number): Waiting {
  return { reason: 'CrashLoopBackOff', message: `back-off ${delayMs / 1000}s restarting failed container=${container}` }
}

function phaseOf(mains: readonly Container[], steps: ReadonlyMap<string, Step>, views: ContainerViews): PodPhase {
  const found = mains.map((container) => steps.get(container.name))
  if (mains.some((container) => viewOf(views, container.name).current === undefined)) return 'Pending'
  const over = found.filter((step) => step?.kind === 'over')
  if (over.length < mains.length) return 'Running'
  return over.every((step) => step.succeeded) ? 'Succeeded' : 'Failed'
}

function earliest(steps: ReadonlyMap<string, Step>): number | undefined {
  const times = [...steps.values()].flatMap((step) => (step.kind === 'wait' && step.until !== undefined ? [step.until] : []))
  return times.length === 0 ? undefined : Math.min(...times)
}
