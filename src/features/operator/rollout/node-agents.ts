import type { ComponentPod } from './component-pod.ts'

/** How long new pods are observed. */
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

/** What to do next about node agents. */
export interface NodeAgentsDecision {
  readonly state: 'done' | 'canary' | 'rolling' | 'failed'
  /** Old agents to end: their DaemonSet puts new ones in their places. */
  readonly remove: readonly ComponentPod[]
  readonly desired: number
  readonly updated: number
  readonly ready: number
  /** Nodes that are not ready: nobody waits for them, they are caught up with when they are. */
  readonly skipped: readonly string[]
  /**
   * What went wrong; undefined when nothing did. With `failed`, it is a reason to go back;
   * otherwise the others go on.
   */
  readonly problem: string | undefined
  readonly recheckAfterMs: number | undefined
}

const shareAtOnce = 0.1
/** Milliseconds until an agent with a fault is looked at again: nobody tells when it is mended. */
const lookAgainMs = 1_000

/**
 * Decides which node agents are replaced next: one, and when that has been well for a while, a
 * tenth at a time. Nodes that are not ready are left for later. As long as none has proved itself,
 * an agent that ends, or is not ready in time, is the end of the attempt; later, as many of them as
 * may be missing at once. Pure, and from what is there alone: whoever decides next needs to
 * remember nothing.
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
  // Its node may have been lost because of it: nobody follows it. One that never began is waited
  // for, but not for ever: its node may have been lost all the time.
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
    skipped: nodes
      .filter(({ name, isReady }) => !isReady && !(byNode.get(name) ?? []).some(({ isCurrent }) => isCurrent))
      .map(({ name }) => name),
  }
  const nothing = { remove: [], problem: undefined, recheckAfterMs: undefined }
  // Without a node that is ready, nobody has seen that it works.
  const areWell = readyNodes.length > 0 && wellSince.length === readyNodes.length && (proved || lost.length === 0)
  if (old.length === 0 && areWell) return { ...facts, ...nothing, state: 'done' }
  if (problem !== undefined) return { ...facts, ...nothing, state: 'failed', problem }
  // A node whose agent is on its way, or not well, is one that lacks it.
  const lacking = here.filter((found) => !found.some(({ isReady, isLeaving }) => isReady && !isLeaving)).length
  const atOnce = proved ? Math.max(1, Math.floor(readyNodes.length * shareAtOnce)) : 1
  const started =
    lost.length > 0 || here.some((found) => found.length === 0 || found.some(({ isCurrent, isLeaving }) => isCurrent || isLeaving))
  // One that was well before may be killed and come back: it has the time that the first one had,
  // again.
  const missing = fresh.flatMap((pod) => (pod.isReady ? [] : [[pod, Math.max(pod.madeAt, pod.notReadySince ?? 0) + deadlineMs] as const]))
  const late = proved ? missing.filter(([, until]) => until <= now) : []
  // Those that are not well lose nothing, and would hold up all others.
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
    // One node of many may be to blame itself. So many are not: nobody follows them any more.
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

export function describeLate({ name, node, crash, waitsFor }: ComponentPod, deadlineMs: number): string {
  const why = crash ?? waitsFor
  return `${name} on node ${node} is not ready after ${Math.round(deadlineMs / 1000)} s${why === undefined ? '' : `: ${why}`}`
}
