import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { ObjectReference } from './references.ts'

/** Assigns a pod, named by the metadata, to a node. */
export interface Binding extends ApiObject {
  /** The node. */
  target: ObjectReference
}
