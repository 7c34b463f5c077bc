import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'

/** Permissions within one namespace. */
export interface Role extends ApiObject {
  /**
   * Allowed operations.
   * @listType atomic
   * @nullable
   */
  rules?: PolicyRule[] | null
}

/** Permissions in all namespaces and on cluster-scoped objects. */
export interface ClusterRole extends ApiObject {
  /**
   * Allowed operations.
   * @listType atomic
   * @nullable
   */
  rules?: PolicyRule[] | null
  /** Collects the rules of other roles. */
  aggregationRule?: AggregationRule
}

/** Some verbs on some resources or URLs. */
export interface PolicyRule {
  /**
   * Verbs; `*` is all.
   * @listType atomic
   */
  verbs: string[]
  /**
   * API groups; empty is the core group, `*` is all.
   * @listType atomic
   */
  apiGroups?: string[]
  /**
   * Resources, with subresources as `pods/log`; `*` is all.
   * @listType atomic
   */
  resources?: string[]
  /**
   * Names of objects; absent is all.
   * @listType atomic
   */
  resourceNames?: string[]
  /**
   * URL paths outside of resources; `*` at the end is a wildcard.
   * @listType atomic
   */
  nonResourceURLs?: string[]
}

/** Collects the rules of other roles. */
export interface AggregationRule {
  /**
   * The roles, by label.
   * @listType atomic
   */
  clusterRoleSelectors?: LabelSelector[]
}

/** Gives a role to subjects within one namespace. */
export interface RoleBinding extends ApiObject {
  /**
   * Subjects that get the role.
   * @listType atomic
   */
  subjects?: Subject[]
  /** Role of the subjects; immutable. */
  roleRef: RoleRef
}

/** Gives a cluster role to subjects everywhere. */
export interface ClusterRoleBinding extends ApiObject {
  /**
   * Subjects that get the role.
   * @listType atomic
   */
  subjects?: Subject[]
  /** Role of the subjects; immutable. */
  roleRef: RoleRef
}

/**
 * A user, group or service account.
 * @mapType atomic
 */
export interface Subject {
  /** User, Group or ServiceAccount. */
  kind: string
  /** `rbac.authorization.k8s.io` for users and groups, empty for service accounts. */
  apiGroup?: string
  /** Name of the subject. */
  name: string
  /** Namespace of a service account. */
  namespace?: string
}

/**
 * Points to a role.
 * @mapType atomic
 */
export interface RoleRef {
  /**
   * `rbac.authorization.k8s.io`.
   * @default rbac.authorization.k8s.io
   */
  apiGroup?: string
  /** Role or ClusterRole. */
  kind: string
  /** Name of the role. */
  name: string
}
