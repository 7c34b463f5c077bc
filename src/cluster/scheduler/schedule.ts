import type { Pod } from '#api/core/v1/pod.ts'
import { hostPortsConflict } from './host-ports.ts'
import { matchesNodeAffinity, preferredAffinityWeight } from './node-affinity.ts'
import { freeOf, type NodeState } from './node-state.ts'
import { brokenPodAffinity } from './pod-affinity.ts'
import { podRequests } from '#api/usage/pod-requests.ts'
import { untolerated } from '../taints/untolerated.ts'

/** Where a pod goes, or why it can go nowhere. The message is Kubernetes' own: people and KubeVirt read it. */
export type Placement = { readonly kind: 'node'; readonly node: string } | { readonly kind: 'unschedulable'; readonly message: string }

/** Chooses the node for a pod: all required rules, then preferences, then the most room. Pure. */
export function schedule(pod: Pod, states: readonly NodeState[]): Placement {
  if (states.length === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods' }
  const refusals = states.map((state) => refusalsOf(pod, state, states))
  const feasible = states.filter((_, index) => refusals[index]?.length === 0)
  if (feasible.length === 0) return { kind: 'unschedulable', message: explain(refusals) }
  const best = feasible.map((state) => ({ state, score: scoreOf(pod, state) })).reduce((a, b) => (isBetter(b, a) ? b : a))
  return { kind: 'node', node: best.state.node.metadata.name ?? '' }
}

/** Why a node cannot take the pod; the first broken rule, or all resources that are short. */
function refusalsOf(pod: Pod, state: NodeState, all: readonly NodeState[]): readonly string[] {
  const { node } = state
  const tolerations = pod.spec.tolerations ?? []
  const unschedulable = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const
  if (node.spec?.unschedulable === true && untolerated([unschedulable], tolerations, ['NoSchedule']) !== undefined) {
    return ['node(s) were unschedulable']
  }
  const taint = untolerated(node.spec?.taints ?? [], tolerations, ['NoSchedule', 'NoExecute'])
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`]
  if (!matchesNodeAffinity(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  if (hostPortsConflict(pod, state.pods)) return ["node(s) didn't have free ports for the requested pod ports"]
  const short = shortages(pod, state)
  if (short.length > 0) return short
  const broken = brokenPodAffinity(pod, state, all)
  return broken === undefined ? [] : [broken]
}

function shortages(pod: Pod, state: NodeState): readonly string[] {
  return [...podRequests(pod)]
    .filter(([resource, amount]) => amount > 0n && amount > freeOf(state, resource))
    .map(([resource]) => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`))
}

function explain(refusals: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>()
  for (const reason of refusals.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted()
  return `0/${refusals.length} nodes are available: ${reasons.join(', ')}.`
}

interface Score {
  readonly preference: number
  readonly room: number
  readonly pods: number
}

function scoreOf(pod: Pod, state: NodeState): Score {
  const avoided = untolerated(state.node.spec?.taints ?? [], pod.spec.tolerations ?? [], ['PreferNoSchedule']) !== undefined
  const requests = podRequests(pod)
  const room = ['cpu', 'memory'].map((resource) => {
    const total = Number(state.allocatable.get(resource) ?? 0n)
    return total === 0 ? 0 : Number(freeOf(state, resource) - (requests.get(resource) ?? 0n)) / total
  })
  return {
    preference: preferredAffinityWeight(pod, state.node) - (avoided ? 100 : 0),
    room: room.reduce((sum, part) => sum + part, 0),
    pods: state.pods.length,
  }
}

interface Candidate {
  readonly state: NodeState
  readonly score: Score
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.score.preference !== b.score.preference) return a.score.preference > b.score.preference
  if (a.score.room !== b.score.room) return a.score.room > b.score.room
  if (a.score.pods !== b.score.pods) return a.score.pods < b.score.pods
  return (a.state.node.metadata.name ?? '') < (b.state.node.metadata.name ?? '')
}
