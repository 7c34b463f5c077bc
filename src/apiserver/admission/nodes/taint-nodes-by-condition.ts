import type { Node } from '#api/core/v1/node.ts'
import type { AdmissionPlugin } from '../chain.ts'

const nodesKey = '/nodes'
const notReady = 'node.kubernetes.io/not-ready'

/** Taints new nodes as not ready; the node life cycle controller removes the taint. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: new Set([nodesKey]),
  mutate({ operation, target, object }) {
    if (operation !== 'CREATE' || target.subresource !== '') return undefined
    const node = object as Node
    const taints = node.spec?.taints ?? []
    if (taints.some(({ key, effect }) => key === notReady && effect === 'NoSchedule')) return undefined
    const next: Node = { ...node, spec: { ...node.spec, taints: [...taints, { key: notReady, effect: 'NoSchedule' }] } }
    return next
  },
}
