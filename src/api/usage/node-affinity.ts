import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import type { NodeSelector, NodeSelectorTerm } from '#api/core/v1/affinity.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/**
 * Reports whether the node has the labels that the nodeSelector and the required node affinity of
 * the pod require.
 */
export function matchesNodeAffinity(pod: Pick<Pod, 'spec'>, node: Node): boolean {
  const { nodeSelector = {}, affinity } = pod.spec
  const labels = node.metadata.labels ?? {}
  if (!Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)) return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}

/** Returns the sum of the weights of the preferred terms that match the node. */
export function preferredAffinityWeight(pod: Pod, node: Node): number {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  // An empty preferred term matches every node, unlike an empty required term.
  return preferred
    .filter((term) => isEmpty(term.preference) || matchesTerm(term.preference, node))
    .reduce((sum, term) => sum + term.weight, 0)
}

/** Reports whether a node matches at least one of the terms. */
export function matchesNodeSelector(selector: NodeSelector, node: Node): boolean {
  return selector.nodeSelectorTerms.some((term) => !isEmpty(term) && matchesTerm(term, node))
}

function isEmpty(term: NodeSelectorTerm): boolean {
  return (term.matchExpressions ?? []).length === 0 && (term.matchFields ?? []).length === 0
}

function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const fields = { 'metadata.name': node.metadata.name ?? '' }
  return (
    matchesExpressions(term.matchExpressions, node.metadata.labels ?? {}) &&
    (term.matchFields ?? []).every(({ key, operator, values = [] }) => {
      const has = values.includes(fields[key as 'metadata.name'])
      return key === 'metadata.name' && (operator === 'In' ? has : operator === 'NotIn' && !has)
    })
  )
}

// An invalid term matches no node, as in Kubernetes.
function matchesExpressions(matchExpressions: NodeSelectorTerm['matchExpressions'], labels: Readonly<Record<string, string>>): boolean {
  if (matchExpressions === undefined || matchExpressions.length === 0) return true
  try {
    return labelSelectorFromObject({ matchExpressions }).matches(labels)
  } catch {
    return false
  }
}
