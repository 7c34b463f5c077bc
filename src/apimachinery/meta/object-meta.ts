/**
 * A resource's metadata as every Kubernetes object carries it. Times are RFC 3339 strings with
 * second precision.
 */
export interface ObjectMeta {
  /**
   * Name, unique within the namespace. Chosen by the client, or made by the server from
   * `generateName`.
   */
  name?: string
  /** Prefix for a server-made name; five random characters are appended. */
  generateName?: string
  /** Absent for cluster-scoped objects. */
  namespace?: string
  /** UUID v4, set by the server at creation. */
  uid?: string
  /** Opaque version for optimistic concurrency and watches. Set by the server. */
  resourceVersion?: string
  /** Counts changes of the desired state (everything outside metadata and status). */
  generation?: number
  /** Time of the creation. Set by the server. */
  creationTimestamp?: string
  /**
   * Time after which the object is deleted. Set by the server while finalizers or a grace period
   * delay the deletion.
   */
  deletionTimestamp?: string
  /** Seconds between the request and the deletion of the object. */
  deletionGracePeriodSeconds?: number
  /** Key/value pairs that selectors match. */
  labels?: Record<string, string>
  /** Key/value pairs for tools and controllers; selectors do not match them. */
  annotations?: Record<string, string>
  /**
   * Objects that this one depends on; the garbage collector deletes it when all of them are gone.
   */
  ownerReferences?: OwnerReference[]
  /** Identifiers of the controllers that must act before the object is deleted. */
  finalizers?: string[]
  /** Fields of the object by the manager that owns them. */
  managedFields?: ManagedFieldsEntry[]
}

/** Points from a dependent to its owner, in the same namespace or cluster-scoped. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  /** True for the one owner that manages the object. */
  controller?: boolean
  /** True when the owner's foreground deletion must wait for this object. */
  blockOwnerDeletion?: boolean
}

/** The set of fields that one manager owns. */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: Record<string, unknown>
  subresource?: string
}

/** Metadata of a list. */
export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

/** Any Kubernetes object. Wire types of `#api` are structurally assignable to it. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
}

/** A list of objects of one kind. */
export interface KubeList<T> {
  apiVersion?: string
  kind?: string
  metadata: ListMeta
  items: T[]
}

/** `metav1.Condition`, and the older condition shapes that lack some of its fields. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  observedGeneration?: number
  lastProbeTime?: string | null
  lastTransitionTime?: string | null
  reason?: string
  message?: string
}
