/**
 * Points to an object of a known kind in the same namespace.
 * @mapType atomic
 */
export interface LocalObjectReference {
  /** Name of the object. */
  name?: string
}

/**
 * Points to any object.
 * @mapType atomic
 */
export interface ObjectReference {
  /** Kind of the object. */
  kind?: string
  /** Namespace of the object; empty when it is cluster-scoped. */
  namespace?: string
  /** Name of the object. */
  name?: string
  /** UID of the object. */
  uid?: string
  /** Group and version of the object. */
  apiVersion?: string
  /** The exact version that is meant. */
  resourceVersion?: string
  /** A part of the object, as a path: `spec.containers{compute}`. */
  fieldPath?: string
}

/**
 * Points to an object of one of several kinds in the same namespace.
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

/** Points to an object of one of several kinds, possibly in another namespace. */
export interface TypedObjectReference {
  /** API group of the object; absent for the core group. */
  apiGroup?: string
  /** Kind of the object. */
  kind: string
  /** Name of the object. */
  name: string
  /** Namespace of the object, when it is another one. */
  namespace?: string
}

/** Points to a secret in any namespace. */
export interface SecretReference {
  /** Name of the secret. */
  name?: string
  /** Namespace of the secret. */
  namespace?: string
}
