import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Asks whether a user may do something. Never stored. */
export interface SubjectAccessReview extends ApiObject {
  /** The question. */
  spec: SubjectAccessReviewSpec
  /** The answer. */
  status?: SubjectAccessReviewStatus
}

/** Asks whether a user may do something in one namespace. Never stored. */
export interface LocalSubjectAccessReview extends ApiObject {
  /** The question. */
  spec: SubjectAccessReviewSpec
  /** The answer. */
  status?: SubjectAccessReviewStatus
}

/** Asks whether the caller may do something. Never stored. */
export interface SelfSubjectAccessReview extends ApiObject {
  /** The question. */
  spec: SelfSubjectAccessReviewSpec
  /** The answer. */
  status?: SubjectAccessReviewStatus
}

/** Asks what the caller may do in one namespace. Never stored. */
export interface SelfSubjectRulesReview extends ApiObject {
  /** The question. */
  spec: SelfSubjectRulesReviewSpec
  /** The answer. */
  status?: SubjectRulesReviewStatus
}

/** Whether a user may do something. */
export interface SubjectAccessReviewSpec extends SelfSubjectAccessReviewSpec {
  /** User name. */
  user?: string
  /**
   * Groups of the user.
   * @listType atomic
   */
  groups?: string[]
  /** Further facts about the user. */
  extra?: Record<string, string[]>
  /** Identifies the user. */
  uid?: string
}

/** Something to be done. */
export interface SelfSubjectAccessReviewSpec {
  /** With a resource. */
  resourceAttributes?: ResourceAttributes
  /** With a URL outside of resources. */
  nonResourceAttributes?: NonResourceAttributes
}

/** Something to be done with a resource. */
export interface ResourceAttributes {
  /** Namespace; empty is all, or none. */
  namespace?: string
  /** The verb. */
  verb?: string
  /** API group. */
  group?: string
  /** API version. */
  version?: string
  /** The resource. */
  resource?: string
  /** The subresource. */
  subresource?: string
  /** Name of the object; empty is all. */
  name?: string
  /** Field selector. */
  fieldSelector?: RawObject
  /** Label selector. */
  labelSelector?: RawObject
}

/** Something to be done with a URL outside of resources. */
export interface NonResourceAttributes {
  /** Path of the URL. */
  path?: string
  /** The verb. */
  verb?: string
}

/** Whether it may be done. */
export interface SubjectAccessReviewStatus {
  /** Yes. */
  allowed: boolean
  /** No, whatever others say. */
  denied?: boolean
  /** Why. */
  reason?: string
  /** Error of the evaluation. */
  evaluationError?: string
}

/** Namespace to evaluate. */
export interface SelfSubjectRulesReviewSpec {
  /** The namespace. */
  namespace?: string
}

/** Allowed operations. */
export interface SubjectRulesReviewStatus {
  /**
   * With resources.
   * @listType atomic
   */
  resourceRules: ResourceRule[]
  /**
   * With URLs outside of resources.
   * @listType atomic
   */
  nonResourceRules: NonResourceRule[]
  /** Whether the lists lack something. */
  incomplete: boolean
  /** Error of the evaluation. */
  evaluationError?: string
}

/** Allowed verbs on resources. */
export interface ResourceRule {
  /**
   * Verbs.
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

/** Allowed verbs on URLs outside of resources. */
export interface NonResourceRule {
  /**
   * Verbs.
   * @listType atomic
   */
  verbs: string[]
  /**
   * URL paths.
   * @listType atomic
   */
  nonResourceURLs?: string[]
}
