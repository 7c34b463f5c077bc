import type { Toleration } from '#api/core/v1/affinity.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { isPodItself, podsKey } from './pod-request.ts'

const tolerationSeconds = 300
const nodeTroubles = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/**
 * Adds tolerations of 300 s for nodes that are not ready or unreachable to pods without their own.
 */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  resources: new Set([podsKey]),
  mutate({ operation, target, object }) {
    if (operation === 'DELETE' || !isPodItself(target)) return undefined
    const pod = object as Pod
    const { tolerations = [] } = pod.spec ?? {}
    const missing = nodeTroubles.filter((key) => !tolerations.some((toleration) => speaksOf(toleration, key)))
    if (pod.spec === undefined || missing.length === 0) return undefined
    const added = missing.map((key): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
    const next: Pod = { ...pod, spec: { ...pod.spec, tolerations: [...tolerations, ...added] } }
    return next
  },
}

function speaksOf({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '')
}
