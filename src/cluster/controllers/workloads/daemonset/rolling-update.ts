import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isAvailable, isTerminating } from '../pods/pod-state.ts'
import { scaledValue } from '../scaled-value.ts'
import { revisionHashLabel } from '../history/revision-label.ts'
import type { NodeView } from './nodes.ts'

/** Nodes for pods of the new template, and old pods to delete. */
export interface RolloutStep {
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
}

/**
 * Old and new pod of a node; undefined when there is more than one of a kind, which is cleaned up
 * elsewhere.
 */
interface Generations {
  readonly node: string
  readonly old: Pod | undefined
  readonly fresh: Pod | undefined
}

/**
 * Number of nodes that may lack a pod, or have two. Percentages are of all eligible nodes, rounded
 * up. Pure.
 */
export function rolloutBounds({ spec }: DaemonSet, desired: number): { readonly unavailable: number; readonly surge: number } {
  const { maxUnavailable = 1, maxSurge = 0 } = spec.updateStrategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, desired, 'up')
  const unavailable = scaledValue(maxUnavailable, desired, 'up')
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** The next step of a rolling update. Pure. */
export function rolloutStep(daemonSet: DaemonSet, views: readonly NodeView[], hash: string, now: number): RolloutStep {
  const wanted = views.filter(({ shouldRun }) => shouldRun)
  const { surge, unavailable } = rolloutBounds(daemonSet, wanted.length)
  const serves = (pod: Pod): boolean => isAvailable(pod, daemonSet.spec.minReadySeconds ?? 0, now)
  const generations = wanted.map((view) => generationsOf(view, hash))
  return surge > 0 ? surgeStep(generations, surge, serves) : replaceStep(generations, unavailable, serves)
}

/** Old pods that do not serve go at once; of those that do, as many as may be missing. */
function replaceStep(nodes: readonly (Generations | undefined)[], limit: number, serves: (pod: Pod) => boolean): RolloutStep {
  const sick: Pod[] = []
  const healthy: Pod[] = []
  let missing = 0
  for (const node of nodes) {
    if (node?.fresh === undefined && node?.old !== undefined) (serves(node.old) ? healthy : sick).push(node.old)
    else if (node?.fresh === undefined || node.old !== undefined || !serves(node.fresh)) missing++
  }
  return { create: [], remove: [...sick, ...healthy.slice(0, Math.max(0, limit - missing - sick.length))] }
}

/**
 * New pods come beside old ones, as many as may be double; an old one goes when its successor
 * serves.
 */
function surgeStep(nodes: readonly (Generations | undefined)[], limit: number, serves: (pod: Pod) => boolean): RolloutStep {
  const create: string[] = []
  const candidates: string[] = []
  const remove: Pod[] = []
  let double = 0
  for (const node of nodes) {
    if (node === undefined) double++
    else if (node.old === undefined) continue
    else if (node.fresh === undefined) (serves(node.old) ? candidates : create).push(node.node)
    else if (serves(node.fresh)) remove.push(node.old)
    else double++
  }
  return { create: [...create, ...candidates.slice(0, Math.max(0, limit - double))], remove }
}

function generationsOf({ name, pods }: NodeView, hash: string): Generations | undefined {
  const living = pods.filter((pod) => !isTerminating(pod))
  const fresh = living.filter((pod) => pod.metadata.labels?.[revisionHashLabel] === hash)
  const old = living.filter((pod) => !fresh.includes(pod))
  return fresh.length > 1 || old.length > 1 ? undefined : { node: name, old: old[0], fresh: fresh[0] }
}
