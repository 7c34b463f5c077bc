import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** Bounds for what all objects of a namespace together may ask for. */
export interface ResourceQuota extends ApiObject {
  /** Desired state of the quota. */
  spec?: ResourceQuotaSpec
  /** Observed state of the quota. */
  status?: ResourceQuotaStatus
}

/** Desired state of a quota. */
export interface ResourceQuotaSpec {
  /** Most of each resource: `requests.cpu`, `pods`, `count/deployments.apps` … */
  hard?: Record<string, Quantity>
  /**
   * Which objects are counted: Terminating, NotTerminating, BestEffort, NotBestEffort,
   * PriorityClass …
   * @listType atomic
   */
  scopes?: string[]
  /** Which objects are counted, by expression. */
  scopeSelector?: ScopeSelector
}

/** Chooses objects by scopes that must all hold. */
export interface ScopeSelector {
  /**
   * The scopes.
   * @listType atomic
   */
  matchExpressions?: ScopedResourceSelectorRequirement[]
}

/** One scope that must hold. */
export interface ScopedResourceSelectorRequirement {
  /** Name of the scope. */
  scopeName: string
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string
  /**
   * Values for In and NotIn.
   * @listType atomic
   */
  values?: string[]
}

/** Observed state of a quota. */
export interface ResourceQuotaStatus {
  /** The bounds that are in force. */
  hard?: Record<string, Quantity>
  /** Current usage of each resource. */
  used?: Record<string, Quantity>
}
