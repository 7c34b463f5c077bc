import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { PodAffinityTerm, WeightedPodAffinityTerm } from '#api/core/v1/affinity.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { NodeState } from './node-state.ts'

/** Returns the required pod affinity or anti-affinity rule that a node violates, or undefined. */
export function brokenPodAffinity(pod: Pod, state: NodeState, all: readonly NodeState[]): string | undefined {
  if (!affinityTerms(pod).every((term) => isAffinityMet(pod, term, state, all))) return "node(s) didn't match pod affinity rules"
  if (antiAffinityTerms(pod).some((term) => nearPods(term, state, all).some((other) => matches(term, pod, other)))) {
    return "node(s) didn't match pod anti-affinity rules"
  }
  return isKeptAway(pod, state, all) ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined
}

/**
 * Sum of the weights of preferred pod affinity rules that a node fulfils, minus those of
 * anti-affinity.
 */
export function preferredPodAffinityWeight(pod: Pod, state: NodeState, all: readonly NodeState[]): number {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const weigh = (terms: readonly WeightedPodAffinityTerm[] = []): number =>
    terms
      .filter(({ podAffinityTerm: term }) => nearPods(term, state, all).some((other) => matches(term, pod, other)))
      .reduce((sum, { weight }) => sum + weight, 0)
  return (
    weigh(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution) -
    weigh(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution)
  )
}

function affinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  return pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

function antiAffinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  return pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

// The first pod of a group with affinity to itself has no other pod yet: it may go anywhere if it
// matches its own rule.
function isAffinityMet(pod: Pod, term: PodAffinityTerm, state: NodeState, all: readonly NodeState[]): boolean {
  if (state.node.metadata.labels?.[term.topologyKey] === undefined) return false
  if (nearPods(term, state, all).some((other) => matches(term, pod, other))) return true
  const somewhere = all.some((one) => one.pods.some((other) => matches(term, pod, other)))
  return !somewhere && matches(term, pod, pod)
}

function isKeptAway(pod: Pod, state: NodeState, all: readonly NodeState[]): boolean {
  return all.some((one) =>
    one.pods.some((other) =>
      antiAffinityTerms(other).some((term) => matches(term, other, pod) && isSameDomain(term.topologyKey, one, state)),
    ),
  )
}

function nearPods(term: PodAffinityTerm, state: NodeState, all: readonly NodeState[]): readonly Pod[] {
  return all.filter((other) => isSameDomain(term.topologyKey, other, state)).flatMap((other) => other.pods)
}

function isSameDomain(key: string, a: NodeState, b: NodeState): boolean {
  const value = a.node.metadata.labels?.[key]
  return value !== undefined && value === b.node.metadata.labels?.[key]
}

/**
 * Reports whether a rule of `owner` selects `other`. A namespaceSelector counts as all namespaces:
 * labels of namespaces are not read.
 */
function matches(term: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const own = owner.metadata.namespace ?? ''
  const named = term.namespaces ?? []
  const namespaces = named.length === 0 ? [own] : named
  if (term.namespaceSelector === undefined && !namespaces.includes(other.metadata.namespace ?? '')) return false
  const [mine, theirs] = [owner, other].map(({ metadata }) => metadata.labels ?? {})
  // A label that the pod itself lacks narrows nothing.
  const isAlike = (key: string): boolean => mine?.[key] === theirs?.[key]
  const { matchLabelKeys = [], mismatchLabelKeys = [] } = term
  if (matchLabelKeys.some((key) => mine?.[key] !== undefined && !isAlike(key))) return false
  if (mismatchLabelKeys.some((key) => mine?.[key] !== undefined && isAlike(key))) return false
  return labelSelectorFromObject(term.labelSelector).matches(other.metadata.labels ?? {})
}
