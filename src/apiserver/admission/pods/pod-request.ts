import type { Pod } from '#api/core/v1/pod.ts'
import type { AdmissionRequest } from '../chain.ts'

/** Storage key of pods. */
export const podsKey = '/pods'
const mirrorAnnotation = 'kubernetes.io/config.mirror'

/** Returns the pod that a request creates, or undefined for other requests. */
export function createdPod({ operation, target, object }: AdmissionRequest): Pod | undefined {
  return operation === 'CREATE' && isPodItself(target) ? (object as Pod) : undefined
}

/** Returns the pod whose resources a request changes, or undefined for other requests. */
export function resizedPod({ target, object }: AdmissionRequest): Pod | undefined {
  return target.subresource === 'resize' && target.definition.storageKey === podsKey ? (object as Pod) : undefined
}

/** Reports whether a request is for pods and not for a subresource. */
export function isPodItself({ definition, subresource }: AdmissionRequest['target']): boolean {
  return definition.storageKey === podsKey && subresource === ''
}

/** Reports whether the pod mirrors a static pod of a kubelet. */
export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata?.annotations?.[mirrorAnnotation] !== undefined
}
