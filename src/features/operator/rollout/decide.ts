import { compareReleases } from '#apimachinery/release-version.ts'
import type { NodeAgentsDecision } from './node-agents.ts'
import type { DeploymentRollout } from './deployments.ts'
import type { ComponentPod } from './component-pod.ts'

/**
 * The stages, in the order in which a newer version comes: the API is last, so that nobody can ask
 * for what the others do not know yet.
 */
export const stages = ['NodeAgents', 'Controllers', 'API'] as const
export type Stage = (typeof stages)[number]
/**
 * All that an upgrade can be at, in this order; `Install` stands for everything at once, when there
 * is nothing yet.
 */
export const phases: readonly Phase[] = ['Preflight', 'Install', 'Expand', ...stages, 'Workloads', 'Contract']
export type Phase = Stage | 'Preflight' | 'Install' | 'Expand' | 'Workloads' | 'Contract'

/** What is known of the components. */
export interface RolloutObservation {
  /** Version that was complete the last time; undefined while the first one is being installed. */
  readonly from: string | undefined
  readonly to: string
  /** Versions that the components have now. Those that are not there have none. */
  readonly present: Readonly<Record<Stage, string | undefined>>
  /**
   * Whether the wanted version has been complete before: what is not as it should be then is
   * repaired, all at once, and no upgrade.
   */
  readonly isSettled: boolean
  /** Whether all kinds and rights are there that the wanted version needs. */
  readonly isGrown: boolean
  /**
   * Until when what only older versions need is kept, in milliseconds since the epoch; undefined:
   * nobody has come to that point.
   */
  readonly contractAt: number | undefined
  /** For how long it is kept, in milliseconds. */
  readonly contractAfterMs: number
  /** Whether the API server asks about all that the wanted version answers, and nothing else. */
  readonly isRegistered: boolean
  readonly agentsWanted: boolean
  readonly agents: NodeAgentsDecision
  readonly controllers: DeploymentRollout
  readonly api: DeploymentRollout
}

/** The next step of a roll-out. */
export interface RolloutDecision {
  /** What is waited for; undefined when all is done. */
  readonly stage: Phase | undefined
  /** Stages whose objects may be brought to the wanted version now. */
  readonly apply: readonly (Stage | 'Expand')[]
  readonly contractAt: number | undefined
  readonly remove: readonly ComponentPod[]
  readonly progress: { readonly desired: number; readonly updated: number; readonly ready: number }
  readonly recheckAfterMs: number | undefined
}

/**
 * The order of the stages: a newer version comes from below, an older one from above, where what it
 * does not know is asked for. What counts is what is there: an upgrade that is given up half-way is
 * a way back. When it turns to a version in between, what is older than that comes after the
 * agents, and all else before them. Pure.
 */
export function stageOrder(present: RolloutObservation['present'], to: string): readonly Stage[] {
  /** Above zero: newer than what it is to be. */
  const ageOf = (stage: Stage): number => compareReleases(present[stage] ?? to, to)
  if (!stages.some((stage) => ageOf(stage) > 0)) return stages
  const callers = stages.filter((stage) => stage !== 'NodeAgents')
  const isBelow = (stage: Stage): boolean => ageOf(stage) < 0
  return [...callers.filter((stage) => !isBelow(stage)).toReversed(), 'NodeAgents', ...callers.filter(isBelow)]
}

/**
 * Decides which components may have the wanted version: none before all that come first have it.
 * When all have it, what only older versions need is kept for a while: until then the way back is
 * short. Pure.
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
 * Whether no agent of another version is left. One of a node that is not ready, or has just come
 * back, may be at work. Pure.
 */
export function isOnEveryNode({ state, skipped }: NodeAgentsDecision): boolean {
  return state === 'done' && skipped.length === 0
}

function progressOf({ agents, controllers, api }: RolloutObservation, stage: Stage | 'Expand' | undefined): RolloutDecision['progress'] {
  if (stage === undefined || stage === 'Expand') return notStarted.progress
  const { desired, updated, ready } = { NodeAgents: agents, Controllers: controllers, API: api }[stage]
  return { desired, updated, ready }
}

/** The step before all others: nothing has been changed yet. */
export const notStarted: RolloutDecision = {
  stage: 'Preflight',
  apply: [],
  remove: [],
  progress: { desired: 0, updated: 0, ready: 0 },
  recheckAfterMs: undefined,
  contractAt: undefined,
}
