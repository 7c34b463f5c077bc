import type { Affinity } from '#api/core/v1/affinity.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { names } from '../names.ts'

/** A pod that waits for a claim to be filled, such as a launcher. */
export interface Consumer {
  /**
   * Undefined: not known yet. Where volumes are not provisioned, the scheduler binds the claim
   * first, and names the node in the pod only afterwards.
   */
  readonly node: string | undefined
}

/**
 * Returns the pod that waits for a claim. A volume that is attached to its node cannot be attached
 * to another one: undefined for one that is shared. The scheduler selects the node some time before
 * the pod has it. Pure.
 */
export function consumerOf(claim: PersistentVolumeClaim, all: readonly Pod[]): Consumer | undefined {
  const { metadata, spec } = claim
  if (spec?.accessModes?.some((mode) => mode === 'ReadWriteMany') === true) return undefined
  const consumers = all.filter(
    (pod) =>
      !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '') &&
      pod.metadata.labels?.[names.fillsLabel] !== metadata.uid &&
      (pod.spec.volumes ?? []).some(({ persistentVolumeClaim: volume }) => volume?.claimName === metadata.name),
  )
  if (consumers.length === 0) return undefined
  const scheduled = consumers.find(({ spec: { nodeName = '' } }) => nodeName !== '')
  return { node: scheduled?.spec.nodeName ?? metadata.annotations?.[names.selectedNode] }
}

/** Adds to the affinity of a pod that it runs on one node. Pure. */
export function onNode(node: string, affinity: Affinity = {}): Affinity {
  const { nodeAffinity } = affinity
  const field = { key: 'metadata.name', operator: 'In', values: [node] }
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}]
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), field] }))
  return { ...affinity, nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}
