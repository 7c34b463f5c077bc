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
  /** Selection of other roles whose rules the ClusterRole combines. */
  aggregationRule?: AggregationRule
}

/** Allowed verbs on resources or URLs. */
export interface PolicyRule {
  /**
   * Verbs; `*` matches all verbs.
   * @listType atomic
   */
  verbs: string[]
  /**
   * API groups; empty is the core group, `*` matches all groups.
   * @listType atomic
   */
  apiGroups?: string[]
  /**
   * Resources, with subresources as `pods/log`; `*` matches all resources.
   * @listType atomic
   */
  resources?: string[]
  /**
   * Names of objects; all objects when absent.
   * @listType atomic
   */
  resourceNames?: string[]
  /**
   * Non-resource URL paths; `*` at the end is a wildcard.
   * @listType atomic
   */
  nonResourceURLs?: string[]
}

/** Selection of roles whose rules are combined. */
export interface AggregationRule {
  /**
   * Label selectors for the roles.
   * @listType atomic
   */
  clusterRoleSelectors?: LabelSelector[]
}

/** Grants the permissions of a role to subjects within one namespace. */
export interface RoleBinding extends ApiObject {
  /**
   * Subjects that the role is granted to.
   * @listType atomic
   */
  subjects?: Subject[]
  /** Reference to the role of the subjects; immutable. */
  roleRef: RoleRef
}

/** Grants the permissions of a ClusterRole to subjects in the whole cluster. */
export interface ClusterRoleBinding extends ApiObject {
  /**
   * Subjects that the role is granted to.
   * @listType atomic
   */
  subjects?: Subject[]
  /** Reference to the role of the subjects; immutable. */
  roleRef: RoleRef
}

/**
 * User, group or service account.
 * @mapType atomic
 */
export interface Subject {
  /** Kind of the subject: User, Group or ServiceAccount. */
  kind: string
  /**
   * API group of the subject: `rbac.authorization.k8s.io` for users and groups, empty for service
   * accounts.
   */
  apiGroup?: string
  /** Name of the subject. */
  name: string
  /** Namespace of the service account. */
  namespace?: string
}

/**
 * Reference to a role.
 * @mapType atomic
 */
export interface RoleRef {
  /**
   * API group of the role: `rbac.authorization.k8s.io`.
   * @default rbac.authorization.k8s.io
   */
  apiGroup?: string
  /** Kind of the role: Role or ClusterRole. */
  kind: string
  /** Name of the role. */
  name: string
}
