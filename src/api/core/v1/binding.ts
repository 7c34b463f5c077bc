import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { ObjectReference } from './references.ts'

/** Binding of a pod to a node. The metadata contains the name of the pod. */
export interface Binding extends ApiObject {
  /** Reference to the node. */
  target: ObjectReference
}
