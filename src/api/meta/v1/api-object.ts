import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'

/** What every object of the API has in common. */
export interface ApiObject {
  /** Group and version of the schema of this object: `kubevirt.io/v1`. */
  apiVersion?: string
  /** Kind of this object in camel case. */
  kind?: string
  /** Name, labels and bookkeeping of the object. */
  metadata: ObjectMeta
}
