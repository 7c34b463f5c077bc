import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { Node } from '#api/core/v1/node.ts'
import { matchesNodeAffinity } from '#api/usage/node-affinity.ts'

/** What components need to know about the nodes. */
export interface NodeFacts {
  readonly workloadArchitectures: readonly string[]
  readonly controlPlaneArchitectures: readonly string[]
  /** Undefined while no node runs guests. */
  readonly defaultArchitecture: string | undefined
  readonly controlPlanes: number
  readonly workers: number
}

const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']
const arbiterLabel = 'node-role.kubernetes.io/arbiter'
const workerLabel = 'node-role.kubernetes.io/worker'

/**
 * Counts nodes and their architectures. A node of the control plane or an arbiter runs guests if it
 * is labelled as a worker or has no taint that keeps them away. Pure.
 */
export function nodeFactsOf(nodes: readonly Node[], hyperconverged?: Pick<HyperConverged, 'spec'>): NodeFacts {
  const placement = hyperconverged?.spec?.deployment?.nodePlacements?.workload ?? {}
  const has = ({ metadata }: Node, label: string): boolean => metadata.labels?.[label] !== undefined
  const isControlPlane = (node: Node): boolean => controlPlaneLabels.some((label) => has(node, label))
  const keepsAway = ({ spec }: Node): boolean =>
    (spec?.taints ?? []).some(
      ({ key, effect }) => [...controlPlaneLabels, arbiterLabel].includes(key ?? '') && effect !== 'PreferNoSchedule',
    )
  const planes = nodes.filter(isControlPlane)
  const workers = nodes.filter((node) => has(node, workerLabel) || !(isControlPlane(node) || has(node, arbiterLabel)) || !keepsAway(node))
  // The placement decides which of them run guests.
  const ofWorkers = architecturesOf(workers.filter((node) => matchesNodeAffinity({ spec: { containers: [], ...placement } }, node)))
  const ofPlanes = architecturesOf(planes)
  return {
    workloadArchitectures: ofWorkers.toSorted(),
    controlPlaneArchitectures: ofPlanes.toSorted(),
    defaultArchitecture: ofPlanes.find((architecture) => ofWorkers.includes(architecture)) ?? ofWorkers[0],
    controlPlanes: planes.length,
    workers: workers.length,
  }
}

/** Distinct architectures, the most common one first. */
function architecturesOf(nodes: readonly Node[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { status } of nodes) {
    const architecture = status?.nodeInfo?.architecture ?? ''
    if (architecture !== '') counts.set(architecture, (counts.get(architecture) ?? 0) + 1)
  }
  return [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([architecture]) => architecture)
}
