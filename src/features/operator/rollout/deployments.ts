import type { ComponentPod } from './component-pod.ts'
import { describeLate, type RolloutLimits } from './node-agents.ts'

/** Counts of a Deployment, compared with the install strategy. */
export interface DeploymentState {
  /** True if its template is that of the install strategy. */
  readonly isWanted: boolean
  /** True if all of its pods are those of its template, and available. */
  readonly isRolled: boolean
  /** True while pods of another template are being replaced. */
  readonly isReplacing: boolean
  readonly desired: number
  readonly updated: number
  readonly ready: number
}

/** A Deployment that is being rolled out. */
export interface DeploymentObservation extends RolloutLimits {
  readonly name: string
  readonly state: DeploymentState
  readonly pods: readonly ComponentPod[]
  readonly nodes: readonly { readonly name: string; readonly isReady: boolean }[]
  /**
   * Since when the roll-out waits for it, in milliseconds since the epoch; undefined before that.
   */
  readonly waitingSince: number | undefined
  /** Message of the Deployment's ReplicaFailure condition. */
  readonly replicaFailure: string | undefined
}

/** A Deployment with the outcome of its soak. */
export interface DeploymentRollout extends DeploymentState {
  /** True if a pod of the wanted template has stayed ready for the soak time. */
  readonly isSoaked: boolean
  /** True if the version must be rolled back; `problem` gives the reason. */
  readonly isFailed: boolean
  readonly problem: string | undefined
  readonly recheckAfterMs: number | undefined
}

/**
 * Decides whether a Deployment's new version works: one pod must stay ready for the soak time.
 * Until then, a pod that crashes or is not ready by the deadline fails the version; afterwards it
 * is only reported. Pods on nodes that are not ready prove nothing. Pure.
 */
export function decideDeployment(observed: DeploymentObservation, now: number): DeploymentRollout {
  const { name, state, soakMs, deadlineMs, waitingSince, replicaFailure } = observed
  const lostNodes = new Set(observed.nodes.filter(({ isReady }) => !isReady).map((node) => node.name))
  const pods = observed.pods.filter(({ isCurrent, isLeaving, node }) => isCurrent && !isLeaving && !lostNodes.has(node))
  const soakedAt = Math.min(...pods.map(({ readySince = Infinity }) => readySince + soakMs))
  const isSoaked = state.desired === 0 || soakedAt <= now
  const limits = pods.filter(({ isReady }) => !isReady).map((pod) => [pod, readyBy(pod, deadlineMs)] as const)
  const unborn = pods.length === 0 && !isSoaked && waitingSince !== undefined ? waitingSince + deadlineMs : undefined
  const problems = [
    ...pods.flatMap((pod) => crashOf(pod) ?? []),
    ...limits.filter(([, until]) => until <= now).map(([pod]) => describeLate(pod, deadlineMs)),
    ...(unborn !== undefined && unborn <= now ? [describeMissing(name, deadlineMs, replicaFailure)] : []),
  ]
  const waits = [soakedAt, unborn ?? 0, ...limits.map(([, until]) => until)].map((until) => until - now)
  const soonest = Math.min(...waits.filter((wait) => wait > 0))
  return {
    ...state,
    isSoaked,
    isFailed: state.isWanted && !isSoaked && problems.length > 0,
    problem: state.isWanted ? problems[0] : undefined,
    recheckAfterMs: soonest === Infinity ? undefined : soonest,
  }
}

/** A pod that was ready before and is restarted gets the full deadline again. */
function readyBy({ madeAt, notReadySince = 0 }: ComponentPod, deadlineMs: number): number {
  return Math.max(madeAt, notReadySince) + deadlineMs
}

/** A container that was killed from outside restarts; that is no reason to roll back. */
function crashOf({ name, node, crash, isCrashLooping }: ComponentPod): string | undefined {
  return crash === undefined || isCrashLooping !== true ? undefined : `${name} on node ${node} ${crash}`
}

function describeMissing(name: string, deadlineMs: number, failure: string | undefined): string {
  return `${name}: no pod was created within ${Math.round(deadlineMs / 1000)} s${failure === undefined ? '' : `: ${failure}`}`
}
