import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** Limits on the resources that all objects of a namespace together may request. */
export interface ResourceQuota extends ApiObject {
  /** Desired state of the quota. */
  spec?: ResourceQuotaSpec
  /** Observed state of the quota. */
  status?: ResourceQuotaStatus
}

/** Desired state of a quota. */
export interface ResourceQuotaSpec {
  /** Maximum amount of each resource: `requests.cpu`, `pods`, `count/deployments.apps` … */
  hard?: Record<string, Quantity>
  /**
   * Scopes of the objects that are counted: Terminating, NotTerminating, BestEffort, NotBestEffort,
   * PriorityClass …
   * @listType atomic
   */
  scopes?: string[]
  /** Selector of the objects that are counted, by expressions on scopes. */
  scopeSelector?: ScopeSelector
}

/** Selector of objects by scopes. All requirements must hold. */
export interface ScopeSelector {
  /**
   * Requirements on scopes.
   * @listType atomic
   */
  matchExpressions?: ScopedResourceSelectorRequirement[]
}

/** Requirement on a scope. */
export interface ScopedResourceSelectorRequirement {
  /** Name of the scope. */
  scopeName: string
  /** Comparison operator: In, NotIn, Exists or DoesNotExist. */
  operator: string
  /**
   * Values for the operators In and NotIn.
   * @listType atomic
   */
  values?: string[]
}

/** Observed state of a quota. */
export interface ResourceQuotaStatus {
  /** Limits in effect. */
  hard?: Record<string, Quantity>
  /** Current usage of each resource. */
  used?: Record<string, Quantity>
}
