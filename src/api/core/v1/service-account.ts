import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LocalObjectReference, ObjectReference } from './references.ts'

/** An identity for the processes of a pod. */
export interface ServiceAccount extends ApiObject {
  /**
   * Secrets that pods with this identity may use.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  secrets?: ObjectReference[]
  /**
   * Registry credentials for pods with this identity.
   * @listType atomic
   */
  imagePullSecrets?: LocalObjectReference[]
  /** Whether pods get an API token mounted. */
  automountServiceAccountToken?: boolean
}
