import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { unschedulableMessage, type NodeRejection } from './unschedulable-message.ts'
import { hostPortsConflict } from './host-ports.ts'
import { matchesNodeAffinity, preferredAffinityWeight } from '#api/usage/node-affinity.ts'
import { freeOf, type NodeState } from './node-state.ts'
import { brokenPodAffinity, preferredPodAffinityWeight } from './pod-affinity.ts'
import { brokenSpread, spreadPenalty } from './topology-spread.ts'
import { noVolumes, podVolumes, volumeConflict, type VolumeView } from './volumes.ts'
import { podRequests } from '#api/usage/pod-requests.ts'
import { untolerated } from '../taints/untolerated.ts'

/** Node of a pod, or why there is none, in Kubernetes' words: KubeVirt parses them. */
export type Placement = { readonly kind: 'node'; readonly node: string } | { readonly kind: 'unschedulable'; readonly message: string }

/** Chooses the node for a pod: all required rules, then preferences, then the most room. Pure. */
export function schedule(pod: Pod, states: readonly NodeState[], view: VolumeView = noVolumes): Placement {
  if (states.length === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods' }
  const volumes = podVolumes(pod, view)
  const refusals = states.map((state) => rejectionOf(pod, state, states, (node) => volumeConflict(volumes, node, view)))
  const feasible = volumes.problem === undefined ? states.filter((_, index) => refusals[index]?.reasons.length === 0) : []
  if (feasible.length === 0) return { kind: 'unschedulable', message: unschedulableMessage(pod, refusals, volumes.problem) }
  const best = feasible.map((state) => ({ state, score: scoreOf(pod, state, states) })).reduce((a, b) => (isBetter(b, a) ? b : a))
  return { kind: 'node', node: best.state.node.metadata.name ?? '' }
}

/** Returns why a node cannot run the pod. */
function rejectionOf(pod: Pod, state: NodeState, all: readonly NodeState[], conflictOf: (node: Node) => string | undefined): NodeRejection {
  const never = neverFits(pod, state.node) ?? conflictOf(state.node)
  if (never !== undefined) return { reasons: [never], preemptionHelps: false }
  if (hostPortsConflict(pod, state.pods))
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], preemptionHelps: true }
  const short = shortages(pod, state)
  if (short.length > 0) return { reasons: short, preemptionHelps: !isTooSmall(pod, state) }
  const spread = brokenSpread(pod, state, all)
  if (spread !== undefined) return { reasons: [spread], preemptionHelps: !spread.endsWith('(missing required label)') }
  const broken = brokenPodAffinity(pod, state, all)
  return { reasons: broken === undefined ? [] : [broken], preemptionHelps: broken?.includes('anti-affinity') === true }
}

/**
 * Returns the broken rule about the node itself, which no preemption can fix; undefined without
 * one.
 */
function neverFits(pod: Pod, node: Node): string | undefined {
  const tolerations = pod.spec.tolerations ?? []
  const unschedulable = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const
  if (node.spec?.unschedulable === true && untolerated([unschedulable], tolerations, ['NoSchedule']) !== undefined) {
    return 'node(s) were unschedulable'
  }
  const taint = untolerated(node.spec?.taints ?? [], tolerations, ['NoSchedule', 'NoExecute'])
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`
  return matchesNodeAffinity(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector"
}

/** Reports whether the node is too small even when it is empty. */
function isTooSmall(pod: Pod, { allocatable }: NodeState): boolean {
  return [...podRequests(pod)].some(([resource, amount]) => amount > (allocatable.get(resource) ?? 0n))
}

function shortages(pod: Pod, state: NodeState): readonly string[] {
  return [...podRequests(pod)]
    .filter(([resource, amount]) => amount > 0n && amount > freeOf(state, resource))
    .map(([resource]) => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`))
}

interface Score {
  readonly preference: number
  readonly room: number
  readonly pods: number
}

function scoreOf(pod: Pod, state: NodeState, all: readonly NodeState[]): Score {
  const avoided = untolerated(state.node.spec?.taints ?? [], pod.spec.tolerations ?? [], ['PreferNoSchedule']) !== undefined
  const requests = podRequests(pod)
  const room = ['cpu', 'memory'].map((resource) => {
    const total = Number(state.allocatable.get(resource) ?? 0n)
    return total === 0 ? 0 : Number(freeOf(state, resource) - (requests.get(resource) ?? 0n)) / total
  })
  return {
    preference:
      preferredAffinityWeight(pod, state.node) +
      preferredPodAffinityWeight(pod, state, all) -
      spreadPenalty(pod, state, all) -
      (avoided ? 100 : 0),
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
