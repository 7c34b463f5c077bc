import { compareReleases } from '#apimachinery/release-version.ts'
import type { NodeAgentsDecision } from './node-agents.ts'
import type { DeploymentRollout } from './deployments.ts'
import type { ComponentPod } from './component-pod.ts'

/**
 * Stages of an upgrade in order. virt-api is last, so that no client can request what the other
 * components do not know yet.
 */
export const stages = ['NodeAgents', 'Controllers', 'API'] as const
export type Stage = (typeof stages)[number]
/**
 * All phases of an upgrade in order. `Install` is the first installation, which applies everything
 * at once.
 */
export const phases: readonly Phase[] = ['Preflight', 'Install', 'Expand', ...stages, 'Workloads', 'Contract']
export type Phase = Stage | 'Preflight' | 'Install' | 'Expand' | 'Workloads' | 'Contract'

/** State of the components and prerequisites. */
export interface RolloutObservation {
  /** Version that was last complete; undefined during the first installation. */
  readonly from: string | undefined
  readonly to: string
  /** Versions of the installed components; undefined for a component that does not exist. */
  readonly present: Readonly<Record<Stage, string | undefined>>
  /**
   * True if the wanted version was complete before. Deviations are then repaired at once, without
   * the stages of an upgrade.
   */
  readonly isSettled: boolean
  /** True if all CRDs and RBAC objects of the wanted version are installed. */
  readonly isGrown: boolean
  /**
   * Time at which objects that only older versions need are removed, in milliseconds since the
   * epoch; undefined until all components have the new version.
   */
  readonly contractAt: number | undefined
  /** Milliseconds from then until they are removed. */
  readonly contractAfterMs: number
  /** True if exactly the webhooks and APIServices of the wanted version are registered. */
  readonly isRegistered: boolean
  readonly agentsWanted: boolean
  readonly agents: NodeAgentsDecision
  readonly controllers: DeploymentRollout
  readonly api: DeploymentRollout
}

/** The next step of a roll-out. */
export interface RolloutDecision {
  /** The phase that is waited for; undefined when the roll-out is complete. */
  readonly stage: Phase | undefined
  /** Stages whose objects may be applied in the wanted version now. */
  readonly apply: readonly (Stage | 'Expand')[]
  readonly contractAt: number | undefined
  readonly remove: readonly ComponentPod[]
  readonly progress: { readonly desired: number; readonly updated: number; readonly ready: number }
  readonly recheckAfterMs: number | undefined
}

/**
 * Returns the order of the stages. An upgrade begins with the node agents; a downgrade with
 * virt-api, which accepts requests that older components do not know. The installed versions
 * decide, so an abandoned upgrade is a downgrade. When the target lies between two installed
 * versions, components that are older than it follow the node agents, and all others precede them.
 * Pure.
 */
export function stageOrder(present: RolloutObservation['present'], to: string): readonly Stage[] {
  /** Positive when the component is newer than the target. */
  const ageOf = (stage: Stage): number => compareReleases(present[stage] ?? to, to)
  if (!stages.some((stage) => ageOf(stage) > 0)) return stages
  const callers = stages.filter((stage) => stage !== 'NodeAgents')
  const isBelow = (stage: Stage): boolean => ageOf(stage) < 0
  return [...callers.filter((stage) => !isBelow(stage)).toReversed(), 'NodeAgents', ...callers.filter(isBelow)]
}

/**
 * Decides which components may have the wanted version: none before all earlier stages are
 * complete. Afterwards, objects that only older versions need are kept for a while, so that a
 * roll-back is quick. Pure.
 */
export function decideRollout(observed: RolloutObservation, now: number): RolloutDecision {
  const { from, to, agents, controllers, api, isSettled } = observed
  const isDone: Record<Stage | 'Expand', boolean> = {
    Expand: observed.isGrown,
    NodeAgents: observed.agentsWanted && agents.state === 'done',
    Controllers: isInPlace(controllers),
    API: isInPlace(api) && observed.isRegistered,
  }
  const order = ['Expand', ...stageOrder(observed.present, to)] as const
  const waiting = order.find((stage) => !isDone[stage])
  const isOrderly = from !== undefined && !isSettled
  const reached = waiting === undefined || !isOrderly ? order : order.slice(0, order.indexOf(waiting) + 1)
  const isComplete = isSettled || waiting === undefined
  const isNew = !isSettled && from !== undefined && from !== to
  const contractAt = observed.contractAt ?? (isComplete && isNew ? now + observed.contractAfterMs : undefined)
  const rechecks = isSettled ? [] : [controllers.recheckAfterMs, api.recheckAfterMs]
  const waits = [agents.recheckAfterMs, ...rechecks, contractAt === undefined || contractAt <= now ? undefined : contractAt - now]
  const soonest = Math.min(...waits.map((wait) => wait ?? Infinity))
  const isKept = contractAt !== undefined && (contractAt > now || !isOnEveryNode(agents))
  const ending = contractAt === undefined ? undefined : isKept ? 'Workloads' : 'Contract'
  return {
    stage: isComplete ? ending : from === undefined ? 'Install' : waiting,
    apply: reached,
    contractAt,
    remove: observed.agentsWanted && reached.includes('NodeAgents') ? agents.remove : [],
    progress: isComplete ? notStarted.progress : progressOf(observed, waiting),
    recheckAfterMs: soonest === Infinity ? undefined : soonest,
  }
}

function isInPlace({ isWanted, isRolled, isSoaked }: DeploymentRollout): boolean {
  return isWanted && isRolled && isSoaked
}

/**
 * Reports whether no node agent of another version is left, including those on nodes that are not
 * ready or have just become ready: such an agent may be running. Pure.
 */
export function isOnEveryNode({ state, skipped }: NodeAgentsDecision): boolean {
  return state === 'done' && skipped.length === 0
}

function progressOf({ agents, controllers, api }: RolloutObservation, stage: Stage | 'Expand' | undefined): RolloutDecision['progress'] {
  if (stage === undefined || stage === 'Expand') return notStarted.progress
  const { desired, updated, ready } = { NodeAgents: agents, Controllers: controllers, API: api }[stage]
  return { desired, updated, ready }
}

/** The decision before the first stage: nothing has been changed. */
export const notStarted: RolloutDecision = {
  stage: 'Preflight',
  apply: [],
  remove: [],
  progress: { desired: 0, updated: 0, ready: 0 },
  recheckAfterMs: undefined,
  contractAt: undefined,
}
