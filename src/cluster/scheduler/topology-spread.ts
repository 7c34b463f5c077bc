import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { TopologySpreadConstraint } from '#api/core/v1/affinity.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { untolerated } from '../taints/untolerated.ts'
import { matchesNodeAffinity } from '#api/usage/node-affinity.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { NodeState } from './node-state.ts'

/**
 * Returns the topology spread constraint that the node would violate; undefined without one. Pure.
 */
export function brokenSpread(pod: Pod, state: NodeState, all: readonly NodeState[]): string | undefined {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
  for (const constraint of hard) {
    const domain = domainOf(constraint, state)
    if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)"
    if (skewWith(pod, constraint, domain, all) > constraint.maxSkew) return "node(s) didn't match pod topology spread constraints"
  }
  return undefined
}

/** Skew that soft constraints would get; less is better. Pure. */
export function spreadPenalty(pod: Pod, state: NodeState, all: readonly NodeState[]): number {
  return (pod.spec.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
    .reduce((sum, constraint) => {
      const domain = domainOf(constraint, state)
      return sum + (domain === undefined ? constraint.maxSkew + 1 : skewWith(pod, constraint, domain, all))
    }, 0)
}

function domainOf({ topologyKey }: TopologySpreadConstraint, { node }: NodeState): string | undefined {
  return node.metadata.labels?.[topologyKey]
}

/** The difference between the pod's domain, with the pod, and the emptiest one. */
function skewWith(pod: Pod, constraint: TopologySpreadConstraint, domain: string, all: readonly NodeState[]): number {
  const selector = labelSelectorFromObject({
    ...constraint.labelSelector,
    matchLabels: { ...constraint.labelSelector?.matchLabels, ...ownLabels(pod, constraint) },
  })
  const counts = new Map<string, number>()
  for (const state of all.filter((one) => isCounted(pod, constraint, one))) {
    const name = domainOf(constraint, state)
    if (name === undefined) continue
    const matching = state.pods.filter(
      ({ metadata }) =>
        metadata.namespace === pod.metadata.namespace && !isBeingDeleted({ metadata }) && selector.matches(metadata.labels ?? {}),
    )
    counts.set(name, (counts.get(name) ?? 0) + matching.length)
  }
  const least = counts.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...counts.values())
  const self = selector.matches(pod.metadata.labels ?? {}) ? 1 : 0
  return (counts.get(domain) ?? 0) + self - (Number.isFinite(least) ? least : 0)
}

function ownLabels({ metadata }: Pod, { matchLabelKeys = [] }: TopologySpreadConstraint): Record<string, string> {
  return Object.fromEntries(matchLabelKeys.flatMap((key) => (metadata.labels?.[key] === undefined ? [] : [[key, metadata.labels[key]]])))
}

function isCounted(pod: Pod, { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint, { node }: NodeState): boolean {
  if (nodeAffinityPolicy !== 'Ignore' && !matchesNodeAffinity(pod, node)) return false
  return (
    nodeTaintsPolicy !== 'Honor' ||
    untolerated(node.spec?.taints ?? [], pod.spec.tolerations ?? [], ['NoSchedule', 'NoExecute']) === undefined
  )
}
