import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Time } from '#api/scalars.ts'

/** Assigns requests to priority levels. */
export interface FlowSchema extends ApiObject {
  /** Requests and their priority level. */
  spec?: FlowSchemaSpec
  /** Observed state of the FlowSchema. */
  status?: FlowControlStatus
}

/** Requests and their priority level. */
export interface FlowSchemaSpec {
  /** Priority level of the requests. */
  priorityLevelConfiguration?: PriorityLevelConfigurationReference
  /**
   * Order among the FlowSchemas: a request belongs to the first one that matches.
   * @default 1000
   */
  matchingPrecedence?: Int32
  /** Method for telling flows apart. All requests are one flow without it. */
  distinguisherMethod?: FlowDistinguisherMethod
  /**
   * Rules, of which one must match.
   * @listType atomic
   */
  rules?: PolicyRulesWithSubjects[]
}

/** Reference to a priority level. */
export interface PriorityLevelConfigurationReference {
  /** Name of the PriorityLevelConfiguration. */
  name?: string
}

/** Method for telling flows apart. */
export interface FlowDistinguisherMethod {
  /** Type of the method: ByUser or ByNamespace. */
  type?: string
}

/** Rule that matches requests of some users. */
export interface PolicyRulesWithSubjects {
  /**
   * Users, groups and service accounts.
   * @listType atomic
   */
  subjects?: FlowSubject[]
  /**
   * Requests for resources.
   * @listType atomic
   */
  resourceRules?: ResourcePolicyRule[]
  /**
   * Requests for other paths.
   * @listType atomic
   */
  nonResourceRules?: NonResourcePolicyRule[]
}

/** User, group or service account. */
export interface FlowSubject {
  /** Kind of the subject: User, Group or ServiceAccount. */
  kind: string
  /** User, for the kind User. */
  user?: UserSubject
  /** Group, for the kind Group. */
  group?: GroupSubject
  /** Service account, for the kind ServiceAccount. */
  serviceAccount?: ServiceAccountSubject
}

/** User of a request. */
export interface UserSubject {
  /** Name of the user; `*` matches all. */
  name?: string
}

/** Group of users. */
export interface GroupSubject {
  /** Name of the group; `*` matches all. */
  name?: string
}

/** Service account. */
export interface ServiceAccountSubject {
  /** Namespace of the account. */
  namespace?: string
  /** Name of the account; `*` matches all of the namespace. */
  name?: string
}

/** Requests for resources. */
export interface ResourcePolicyRule {
  /**
   * Verbs; `*` matches all.
   * @listType set
   */
  verbs?: string[]
  /**
   * API groups; `*` matches all.
   * @listType set
   */
  apiGroups?: string[]
  /**
   * Resources, with their subresource after a slash; `*` matches all.
   * @listType set
   */
  resources?: string[]
  /** True if requests without a namespace match. */
  clusterScope?: boolean
  /**
   * Namespaces; `*` matches all.
   * @listType set
   */
  namespaces?: string[]
}

/** Requests for paths that are no resources. */
export interface NonResourcePolicyRule {
  /**
   * Verbs; `*` matches all.
   * @listType set
   */
  verbs?: string[]
  /**
   * Paths; `*` at the end matches every rest.
   * @listType set
   */
  nonResourceURLs?: string[]
}

/** Limit on the number of concurrent requests of a priority level. */
export interface PriorityLevelConfiguration extends ApiObject {
  /** Type of the priority level and its limits. */
  spec?: PriorityLevelConfigurationSpec
  /** Observed state of the PriorityLevelConfiguration. */
  status?: FlowControlStatus
}

/** Type of a priority level and its limits. */
export interface PriorityLevelConfigurationSpec {
  /** Type of the priority level: Exempt or Limited. */
  type?: string
  /** Limits, for the type Limited. */
  limited?: LimitedPriorityLevelConfiguration
  /** Reservation, for the type Exempt. */
  exempt?: ExemptPriorityLevelConfiguration
}

/** Limits of a priority level. */
export interface LimitedPriorityLevelConfiguration {
  /**
   * Share of the concurrent requests of the server.
   * @default 30
   */
  nominalConcurrencyShares?: Int32
  /** Treatment of requests beyond the limit. */
  limitResponse?: LimitResponse
  /**
   * Percentage of the limit that other levels may borrow.
   * @default 0
   */
  lendablePercent?: Int32
  /** Percentage of the limit that this level may borrow. */
  borrowingLimitPercent?: Int32
}

/** Reservation of an exempt priority level. */
export interface ExemptPriorityLevelConfiguration {
  /**
   * Share of the concurrent requests of the server that is reserved.
   * @default 0
   */
  nominalConcurrencyShares?: Int32
  /**
   * Percentage of the reservation that other levels may borrow.
   * @default 0
   */
  lendablePercent?: Int32
}

/** Treatment of requests beyond the limit. */
export interface LimitResponse {
  /** Type of the treatment: Queue or Reject. */
  type?: string
  /** Queues, for the type Queue. */
  queuing?: QueuingConfiguration
}

/** Queues of a priority level. */
export interface QueuingConfiguration {
  /**
   * Number of queues.
   * @default 64
   */
  queues?: Int32
  /**
   * Number of queues among which a flow chooses.
   * @default 8
   */
  handSize?: Int32
  /**
   * Number of requests that may wait in a queue.
   * @default 50
   */
  queueLengthLimit?: Int32
}

/** Observed state of a FlowSchema or a PriorityLevelConfiguration. */
export interface FlowControlStatus {
  /**
   * Conditions of the object.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: FlowControlCondition[]
}

/** Condition of a FlowSchema or a PriorityLevelConfiguration. */
export interface FlowControlCondition {
  /** Type of the condition: Dangling. */
  type?: string
  /** Status of the condition: True, False or Unknown. */
  status?: string
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}
