/**
 * Reference to an object of a known kind in the same namespace.
 * @mapType atomic
 */
export interface LocalObjectReference {
  /** Name of the object. */
  name?: string
}

/**
 * Reference to any object.
 * @mapType atomic
 */
export interface ObjectReference {
  /** Kind of the object. */
  kind?: string
  /** Namespace of the object; empty for cluster-scoped objects. */
  namespace?: string
  /** Name of the object. */
  name?: string
  /** UID of the object. */
  uid?: string
  /** Group and version of the object. */
  apiVersion?: string
  /** Exact resource version of the object. */
  resourceVersion?: string
  /** Path of a part of the object: `spec.containers{compute}`. */
  fieldPath?: string
}

/**
 * Reference to an object of one of several kinds in the same namespace.
 * @mapType atomic
 */
export interface TypedLocalObjectReference {
  /** API group of the object; absent for the core group. */
  apiGroup?: string
  /** Kind of the object. */
  kind: string
  /** Name of the object. */
  name: string
}

/** Reference to an object of one of several kinds, possibly in another namespace. */
export interface TypedObjectReference {
  /** API group of the object; absent for the core group. */
  apiGroup?: string
  /** Kind of the object. */
  kind: string
  /** Name of the object. */
  name: string
  /** Namespace of the object, if the object is in another namespace. */
  namespace?: string
}

/** Reference to a Secret in any namespace. */
export interface SecretReference {
  /** Name of the Secret. */
  name?: string
  /** Namespace of the Secret. */
  namespace?: string
}
