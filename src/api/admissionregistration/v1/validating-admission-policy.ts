import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int64 } from '#api/scalars.ts'
import type { MatchCondition, RuleWithOperations } from './webhook-configuration.ts'

/** CEL rules for rejecting requests. Bindings put the policy into effect. */
export interface ValidatingAdmissionPolicy extends ApiObject {
  /** Rules of the policy. */
  spec?: ValidatingAdmissionPolicySpec
  /** Observed state of the policy. */
  status?: ValidatingAdmissionPolicyStatus
}

/** The rules of a policy. */
export interface ValidatingAdmissionPolicySpec {
  /** Kind of the parameter objects that bindings provide. */
  paramKind?: ParamKind
  /** Requests that the policy applies to. */
  matchConstraints?: MatchResources
  /**
   * CEL expressions that must be true.
   * @listType atomic
   */
  validations?: Validation[]
  /**
   * Policy when an expression fails or the policy is misconfigured: Fail or Ignore.
   * @default Fail
   */
  failurePolicy?: string
  /**
   * Annotations of the audit log entry.
   * @listType atomic
   */
  auditAnnotations?: AuditAnnotation[]
  /**
   * Additional conditions of the requests that the policy applies to.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  matchConditions?: MatchCondition[]
  /**
   * Named values for the other expressions and for later variables.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  variables?: Variable[]
}

/**
 * Kind of the parameter objects.
 * @mapType atomic
 */
export interface ParamKind {
  /** Group and version of the kind. */
  apiVersion?: string
  /** Kind of the objects. */
  kind?: string
}

/**
 * Selection of requests.
 * @mapType atomic
 */
export interface MatchResources {
  /**
   * Label selector for the namespace of the object.
   * @default {}
   */
  namespaceSelector?: LabelSelector
  /**
   * Label selector for the object.
   * @default {}
   */
  objectSelector?: LabelSelector
  /**
   * Operations and resources to match.
   * @listType atomic
   */
  resourceRules?: NamedRuleWithOperations[]
  /**
   * Operations and resources to exclude.
   * @listType atomic
   */
  excludeResourceRules?: NamedRuleWithOperations[]
  /**
   * Policy for matching other versions of a resource: Exact or Equivalent.
   * @default Equivalent
   */
  matchPolicy?: string
}

/**
 * Operations on resources, or only on named objects of the resources.
 * @mapType atomic
 */
export interface NamedRuleWithOperations extends RuleWithOperations {
  /**
   * Names of the objects; all objects when empty.
   * @listType atomic
   */
  resourceNames?: string[]
}

/** CEL expression that must be true. */
export interface Validation {
  /** CEL expression. */
  expression: string
  /** Message for the client if the expression is not true. */
  message?: string
  /** Reason of the rejection: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. */
  reason?: string
  /** CEL expression that returns the message. */
  messageExpression?: string
}

/** Annotation of the audit log entry. */
export interface AuditAnnotation {
  /** Key of the annotation, which is combined with the name of the policy. */
  key: string
  /** CEL expression that returns the value, or null for no annotation. */
  valueExpression: string
}

/**
 * Named value.
 * @mapType atomic
 */
export interface Variable {
  /** Name of the variable in expressions: `variables.<name>`. */
  name: string
  /** CEL expression that returns the value. */
  expression: string
}

/** Observed state of a policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /** Results of the type check. */
  typeChecking?: TypeChecking
  /**
   * Conditions of the policy.
   * @listType map key=type
   */
  conditions?: Condition[]
}

/** Results of the type check. */
export interface TypeChecking {
  /**
   * Warnings about expressions with type errors.
   * @listType atomic
   */
  expressionWarnings?: ExpressionWarning[]
}

/** Warning about an expression with a type error. */
export interface ExpressionWarning {
  /** Path of the field with the expression. */
  fieldRef: string
  /** Message of the type error. */
  warning: string
}

/** Puts a policy into effect for selected requests, with parameters. */
export interface ValidatingAdmissionPolicyBinding extends ApiObject {
  /** Desired state of the binding. */
  spec?: ValidatingAdmissionPolicyBindingSpec
}

/** Desired state of a binding. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  policyName?: string
  /** Reference to the parameter objects. */
  paramRef?: ParamRef
  /** Requests of the policy that the binding applies to. */
  matchResources?: MatchResources
  /**
   * Actions when an expression is not true: Deny, Warn, Audit.
   * @listType set
   */
  validationActions?: string[]
}

/**
 * Reference to parameter objects.
 * @mapType atomic
 */
export interface ParamRef {
  /** Name of the parameter object. */
  name?: string
  /** Namespace of the parameter objects. Defaults to the namespace of the object in the request. */
  namespace?: string
  /** Label selector for the parameter objects. */
  selector?: LabelSelector
  /** Action when no parameter object is found: Allow or Deny. */
  parameterNotFoundAction?: string
}
