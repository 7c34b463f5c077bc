import type { ComponentPod } from './component-pod.ts'

/** Durations for which new pods are observed. */
export interface RolloutLimits {
  /** Milliseconds that the first new pod must have been ready before others follow. */
  readonly soakMs: number
  /** Milliseconds that a new pod may take to become ready. */
  readonly deadlineMs: number
}

/** The node agents and the nodes that they are for. */
export interface NodeAgentsObservation extends RolloutLimits {
  readonly nodes: readonly { readonly name: string; readonly isReady: boolean }[]
  readonly pods: readonly ComponentPod[]
}

/** The next step of the node agents' roll-out. */
export interface NodeAgentsDecision {
  readonly state: 'done' | 'canary' | 'rolling' | 'failed'
  /** Old agents to delete: the DaemonSet replaces them. */
  readonly remove: readonly ComponentPod[]
  readonly desired: number
  readonly updated: number
  readonly ready: number
  /** Agents of another template on nodes that are ready, also those that are ending. */
  readonly outdated: number
  /**
   * Nodes that are not ready: the roll-out does not wait for them, and their agents follow later.
   */
  readonly skipped: readonly string[]
  /**
   * The first failure. With `failed` it is the reason to roll back; otherwise the roll-out goes on.
   */
  readonly problem: string | undefined
  readonly recheckAfterMs: number | undefined
}

const shareAtOnce = 0.1
/** Milliseconds until a faulty agent is checked again: recovery raises no event. */
const lookAgainMs = 1_000

/**
 * Decides which node agents are replaced next: one canary, then, once it has been healthy for the
 * soak time, 10 % at a time. Nodes that are not ready are skipped. Until the canary is soaked, one
 * agent that crashes or misses the deadline fails the roll-out; afterwards, as many as may be
 * unavailable at once. Pure, and derived from the pods alone, so that it survives a restart of the
 * operator.
 */
export function decideNodeAgents({ nodes, pods, soakMs, deadlineMs }: NodeAgentsObservation, now: number): NodeAgentsDecision {
  const readyNodes = nodes.filter(({ isReady }) => isReady).map(({ name }) => name)
  const byNode = Map.groupBy(pods, ({ node }) => node)
  const here = readyNodes.map((node) => byNode.get(node) ?? [])
  const fresh = here.flatMap((found) => found.filter(({ isCurrent, isLeaving }) => isCurrent && !isLeaving))
  const old = here.flatMap((found) => found.filter(({ isCurrent, isLeaving }) => !isCurrent && !isLeaving))
  const wellSince = fresh.flatMap(({ readySince, fault }) => (readySince === undefined || fault !== undefined ? [] : [readySince]))
  const soaksUntil = wellSince.length === 0 ? undefined : Math.min(...wellSince) + soakMs
  const proved = soaksUntil !== undefined && soaksUntil <= now
  // The new agent may have taken its node down, so it blocks the roll-out. An agent that never
  // started blocks it until the deadline only: its node may have been down before.
  const lost = nodes
    .filter(({ isReady }) => !isReady)
    .flatMap(({ name }) => (byNode.get(name) ?? []).filter(({ isCurrent, isLeaving }) => isCurrent && !isLeaving))
    .filter(({ hasStarted, madeAt }) => hasStarted === true || now < madeAt + deadlineMs)
  const unproven = proved ? [] : [...fresh, ...lost]
  const problem = unproven.map((pod) => problemOf(pod, deadlineMs, now)).find((found) => found !== undefined)
  const facts = {
    desired: readyNodes.length,
    updated: fresh.length,
    ready: wellSince.length,
    outdated: here.flat().filter(({ isCurrent }) => !isCurrent).length,
    skipped: nodes
      .filter(({ name, isReady }) => !isReady && !(byNode.get(name) ?? []).some(({ isCurrent }) => isCurrent))
      .map(({ name }) => name),
  }
  const nothing = { remove: [], problem: undefined, recheckAfterMs: undefined }
  // Without a ready node, nothing proves that the version works.
  const areWell = readyNodes.length > 0 && wellSince.length === readyNodes.length && (proved || lost.length === 0)
  if (old.length === 0 && areWell) return { ...facts, ...nothing, state: 'done' }
  if (problem !== undefined) return { ...facts, ...nothing, state: 'failed', problem }
  // A node whose agent is starting or unhealthy counts as unavailable.
  const lacking = here.filter((found) => !found.some(({ isReady, isLeaving }) => isReady && !isLeaving)).length
  const atOnce = proved ? Math.max(1, Math.floor(readyNodes.length * shareAtOnce)) : 1
  const started =
    lost.length > 0 || here.some((found) => found.length === 0 || found.some(({ isCurrent, isLeaving }) => isCurrent || isLeaving))
  // An agent that was ready before may have been killed: it gets the full deadline again.
  const missing = fresh.flatMap((pod) => (pod.isReady ? [] : [[pod, Math.max(pod.madeAt, pod.notReadySince ?? 0) + deadlineMs] as const]))
  const late = proved ? missing.filter(([, until]) => until <= now) : []
  // Unhealthy old agents are replaced first: nothing is lost, and they would block the others.
  const [well, sick] = [old.filter(({ isReady }) => isReady), old.filter(({ isReady }) => !isReady)]
  const inOrder = (some: readonly ComponentPod[]): ComponentPod[] => some.toSorted((a, b) => a.node.localeCompare(b.node))
  const remove = proved
    ? [...inOrder(sick), ...inOrder(well).slice(0, Math.max(0, atOnce - lacking))]
    : [...inOrder(sick), ...inOrder(well)].slice(0, started ? 0 : 1)
  const starts = [...fresh, ...lost].flatMap(({ isReady, madeAt, fault }) =>
    fault !== undefined ? [Math.min(lookAgainMs, madeAt + deadlineMs - now)] : isReady ? [] : [madeAt + deadlineMs - now],
  )
  const waits = (
    proved ? missing.map(([, until]) => until - now) : [...(soaksUntil === undefined ? [] : [soaksUntil - now]), ...starts]
  ).filter((wait) => wait > 0)
  return {
    ...facts,
    // A single failure may be the fault of its node; this many are the fault of the version.
    state: late.length >= atOnce ? 'failed' : proved ? 'rolling' : 'canary',
    remove,
    problem: late.map(([pod]) => describeLate(pod, deadlineMs))[0],
    recheckAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  }
}

function problemOf(pod: ComponentPod, deadlineMs: number, now: number): string | undefined {
  const { name, node, crash, isReady, madeAt, fault } = pod
  if (crash !== undefined) return `${name} on node ${node} ${crash}`
  if ((isReady && fault === undefined) || now < madeAt + deadlineMs) return undefined
  return isReady ? `${name} on node ${node} is ready, but ${fault}` : describeLate(pod, deadlineMs)
}

export function describeLate({ name, node, lastEnd, waitsFor }: ComponentPod, deadlineMs: number): string {
  const why = lastEnd ?? waitsFor
  return `${name} on node ${node} is not ready after ${Math.round(deadlineMs / 1000)} s${why === undefined ? '' : `: ${why}`}`
}
