import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LocalObjectReference, ObjectReference } from './references.ts'

/** Identity for the processes of a pod. */
export interface ServiceAccount extends ApiObject {
  /**
   * Secrets that pods of the ServiceAccount may use.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  secrets?: ObjectReference[]
  /**
   * Secrets with registry credentials for pods of the ServiceAccount.
   * @listType atomic
   */
  imagePullSecrets?: LocalObjectReference[]
  /** True if an API token is mounted into the pods. */
  automountServiceAccountToken?: boolean
}
