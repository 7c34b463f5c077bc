import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'

/** Fields of every API object. */
export interface ApiObject {
  /** Group and version of the schema of this object: `kubevirt.io/v1`. */
  apiVersion?: string
  /** Kind of this object in CamelCase. */
  kind?: string
  /** Name, labels and other metadata of the object. */
  metadata: ObjectMeta
}
