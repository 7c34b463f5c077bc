import type { AgentsDecision, AgentPod } from './agents.ts'

/** The stages, in the order in which a newer version comes: the API is last, so that nobody can ask for what the others do not know yet. */
export const stages = ['NodeAgents', 'Controllers', 'API'] as const
export type Stage = (typeof stages)[number]

/** How a Deployment is. */
export interface RolloutState {
  /** Whether its template is of the wanted version. */
  readonly isWanted: boolean
  /** Whether all of its pods are those of its template, and ready. */
  readonly isRolled: boolean
  readonly desired: number
  readonly updated: number
  readonly ready: number
}

/** What is known of the components. */
export interface RolloutObservation {
  /** Version that was complete the last time; undefined while the first one is being installed. */
  readonly from: string | undefined
  readonly to: string
  /** Versions that the components have now. */
  readonly present: readonly string[]
  /** Whether the wanted version has been complete before: what is not as it should be then is repaired, all at once, and no upgrade. */
  readonly isSettled: boolean
  readonly agentsWanted: boolean
  readonly agents: AgentsDecision
  readonly controllers: RolloutState
  readonly api: RolloutState
}

/** The next step of a roll-out. */
export interface RolloutDecision {
  /** The stage that is waited for; `Preflight` before anything is changed, `Install` while everything comes at once, undefined when all is done. */
  readonly stage: Stage | 'Preflight' | 'Install' | undefined
  /** Stages whose objects may be brought to the wanted version now. */
  readonly apply: readonly Stage[]
  readonly remove: readonly AgentPod[]
  readonly progress: { readonly desired: number; readonly updated: number; readonly ready: number }
  readonly recheckAfterMs: number | undefined
}

/**
 * The order of the stages: a newer version comes from below, an older one from above, where what it does not know is asked for. What counts is what is there: an upgrade
 * that is given up half-way is a way back. Pure.
 */
export function orderOf(present: readonly string[], to: string): readonly Stage[] {
  return present.some((version) => compareVersions(to, version) < 0) ? stages.toReversed() : stages
}

/** Decides which components may have the wanted version: none before all that come first have it. Pure. */
export function decideRollout(observed: RolloutObservation): RolloutDecision {
  const { from, to, agents, controllers, api } = observed
  const isDone: Record<Stage, boolean> = {
    NodeAgents: observed.agentsWanted && agents.state === 'done',
    Controllers: controllers.isWanted && controllers.isRolled,
    API: api.isWanted && api.isRolled,
  }
  const order = orderOf(observed.present, to)
  const waiting = order.find((stage) => !isDone[stage])
  const progressOf = { NodeAgents: agents, Controllers: controllers, API: api }
  const isOrderly = from !== undefined && !observed.isSettled
  const reached = waiting === undefined || !isOrderly ? order : order.slice(0, order.indexOf(waiting) + 1)
  const { desired, updated, ready } = progressOf[waiting ?? 'API']
  return {
    stage: waiting === undefined || observed.isSettled ? undefined : from === undefined ? 'Install' : waiting,
    apply: reached,
    remove: observed.agentsWanted && reached.includes('NodeAgents') ? agents.remove : [],
    progress: { desired, updated, ready },
    recheckAfterMs: agents.recheckAfterMs,
  }
}

/** The step before all others: nothing has been changed yet. */
export const nothingYet: RolloutDecision = {
  stage: 'Preflight',
  apply: [],
  remove: [],
  progress: { desired: 0, updated: 0, ready: 0 },
  recheckAfterMs: undefined,
}

/** Versions of semver's form, and before them whatever else there is. */
export function compareVersions(a: string, b: string): number {
  const parts = (text: string): readonly number[] => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number) ?? [0, 0, 0]
  const [left, right] = [parts(a), parts(b)]
  const different = [0, 1, 2].find((index) => left[index] !== right[index])
  return different === undefined ? 0 : (left[different] ?? 0) - (right[different] ?? 0)
}
