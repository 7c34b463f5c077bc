import type { Pod } from '#api/core/v1/pod.ts'
import type { AdmissionRequest } from '../chain.ts'

/** Where pods lie in the store. */
export const podsKey = '/pods'
const mirrorAnnotation = 'kubernetes.io/config.mirror'

/** The pod that a request is to make, or undefined when it is about something else. */
export function createdPod({ operation, target, object }: AdmissionRequest): Pod | undefined {
  return operation === 'CREATE' && isPodItself(target) ? (object as Pod) : undefined
}

/** Whether a request is about pods themselves, not about their status or what else they have. */
export function isPodItself({ definition, subresource }: AdmissionRequest['target']): boolean {
  return definition.storageKey === podsKey && subresource === ''
}

/** Whether the pod only shows in the API what a kubelet runs anyway. */
export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata?.annotations?.[mirrorAnnotation] !== undefined
}
