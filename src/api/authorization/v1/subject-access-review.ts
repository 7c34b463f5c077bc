import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Checks whether a user is allowed to perform an action. Never stored. */
export interface SubjectAccessReview extends ApiObject {
  /** User and action to check. */
  spec: SubjectAccessReviewSpec
  /** Result of the check. */
  status?: SubjectAccessReviewStatus
}

/** Checks whether a user is allowed to perform an action in one namespace. Never stored. */
export interface LocalSubjectAccessReview extends ApiObject {
  /** User and action to check. */
  spec: SubjectAccessReviewSpec
  /** Result of the check. */
  status?: SubjectAccessReviewStatus
}

/** Checks whether the caller is allowed to perform an action. Never stored. */
export interface SelfSubjectAccessReview extends ApiObject {
  /** Action to check. */
  spec: SelfSubjectAccessReviewSpec
  /** Result of the check. */
  status?: SubjectAccessReviewStatus
}

/** Lists the actions that the caller is allowed to perform in one namespace. Never stored. */
export interface SelfSubjectRulesReview extends ApiObject {
  /** Namespace to evaluate. */
  spec: SelfSubjectRulesReviewSpec
  /** Allowed actions. */
  status?: SubjectRulesReviewStatus
}

/** User and action to check. */
export interface SubjectAccessReviewSpec extends SelfSubjectAccessReviewSpec {
  /** Name of the user. */
  user?: string
  /**
   * Groups of the user.
   * @listType atomic
   */
  groups?: string[]
  /** Additional attributes of the user. */
  extra?: Record<string, string[]>
  /** UID of the user. */
  uid?: string
}

/** Action to check. */
export interface SelfSubjectAccessReviewSpec {
  /** Action on a resource. */
  resourceAttributes?: ResourceAttributes
  /** Action on a non-resource URL. */
  nonResourceAttributes?: NonResourceAttributes
}

/** Action on a resource. */
export interface ResourceAttributes {
  /** Namespace of the object; empty for all namespaces or for cluster-scoped resources. */
  namespace?: string
  /** Verb of the action. */
  verb?: string
  /** API group of the resource. */
  group?: string
  /** API version of the resource. */
  version?: string
  /** Name of the resource. */
  resource?: string
  /** Name of the subresource. */
  subresource?: string
  /** Name of the object; empty for all objects. */
  name?: string
  /** Field selector of the action. */
  fieldSelector?: RawObject
  /** Label selector of the action. */
  labelSelector?: RawObject
}

/** Action on a non-resource URL. */
export interface NonResourceAttributes {
  /** Path of the URL. */
  path?: string
  /** Verb of the action. */
  verb?: string
}

/** Result of the check of an action. */
export interface SubjectAccessReviewStatus {
  /** True if the action is allowed. */
  allowed: boolean
  /** True if the action is denied, even if another authorizer allows the action. */
  denied?: boolean
  /** Reason of the decision. */
  reason?: string
  /** Error of the evaluation. */
  evaluationError?: string
}

/** Namespace to evaluate. */
export interface SelfSubjectRulesReviewSpec {
  /** Name of the namespace. */
  namespace?: string
}

/** Allowed actions. */
export interface SubjectRulesReviewStatus {
  /**
   * Allowed actions on resources.
   * @listType atomic
   */
  resourceRules: ResourceRule[]
  /**
   * Allowed actions on non-resource URLs.
   * @listType atomic
   */
  nonResourceRules: NonResourceRule[]
  /** True if the lists are incomplete. */
  incomplete: boolean
  /** Error of the evaluation. */
  evaluationError?: string
}

/** Allowed verbs on resources. */
export interface ResourceRule {
  /**
   * Allowed verbs.
   * @listType atomic
   */
  verbs: string[]
  /**
   * API groups.
   * @listType atomic
   */
  apiGroups?: string[]
  /**
   * Resources.
   * @listType atomic
   */
  resources?: string[]
  /**
   * Names of objects.
   * @listType atomic
   */
  resourceNames?: string[]
}

/** Allowed verbs on non-resource URLs. */
export interface NonResourceRule {
  /**
   * Allowed verbs.
   * @listType atomic
   */
  verbs: string[]
  /**
   * Non-resource URL paths.
   * @listType atomic
   */
  nonResourceURLs?: string[]
}
