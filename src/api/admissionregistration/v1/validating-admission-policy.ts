import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int64 } from '#api/scalars.ts'
import type { MatchCondition, RuleWithOperations } from './webhook-configuration.ts'

/** Rules, as CEL, by which requests are refused. Bindings put them in force. */
export interface ValidatingAdmissionPolicy extends ApiObject {
  /** The rules. */
  spec?: ValidatingAdmissionPolicySpec
  /** Observed state. */
  status?: ValidatingAdmissionPolicyStatus
}

/** The rules of a policy. */
export interface ValidatingAdmissionPolicySpec {
  /** Kind of the objects that bindings give as parameters. */
  paramKind?: ParamKind
  /** Which requests the policy is about. */
  matchConstraints?: MatchResources
  /**
   * Expressions that must be true.
   * @listType atomic
   */
  validations?: Validation[]
  /**
   * Policy when an expression fails or the policy is not set up rightly: Fail or Ignore.
   * @default Fail
   */
  failurePolicy?: string
  /**
   * Annotations of the audit log entry.
   * @listType atomic
   */
  auditAnnotations?: AuditAnnotation[]
  /**
   * Further conditions of the requests that the policy is about.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  matchConditions?: MatchCondition[]
  /**
   * Values with names, for the other expressions and for later variables.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  variables?: Variable[]
}

/**
 * A kind.
 * @mapType atomic
 */
export interface ParamKind {
  /** Group and version. */
  apiVersion?: string
  /** The kind. */
  kind?: string
}

/**
 * Which requests.
 * @mapType atomic
 */
export interface MatchResources {
  /**
   * By the labels of the namespace.
   * @default {}
   */
  namespaceSelector?: LabelSelector
  /**
   * By the labels of the object.
   * @default {}
   */
  objectSelector?: LabelSelector
  /**
   * By operation and resource.
   * @listType atomic
   */
  resourceRules?: NamedRuleWithOperations[]
  /**
   * Operations and resources that are left out.
   * @listType atomic
   */
  excludeResourceRules?: NamedRuleWithOperations[]
  /**
   * Whether rules also match other versions of a resource: Exact or Equivalent.
   * @default Equivalent
   */
  matchPolicy?: string
}

/**
 * Some operations on some resources, or on some objects of them.
 * @mapType atomic
 */
export interface NamedRuleWithOperations extends RuleWithOperations {
  /**
   * Names of the objects; none: all.
   * @listType atomic
   */
  resourceNames?: string[]
}

/** Something that must be true. */
export interface Validation {
  /** The expression. */
  expression: string
  /** Message for the client otherwise. */
  message?: string
  /** Reason of the refusal: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. */
  reason?: string
  /** An expression that makes the message. */
  messageExpression?: string
}

/** Something for the audit log. */
export interface AuditAnnotation {
  /** Key, to which the name of the policy is put. */
  key: string
  /** An expression that makes the value, or null for none. */
  valueExpression: string
}

/**
 * A value with a name.
 * @mapType atomic
 */
export interface Variable {
  /** The name: `variables.<name>`. */
  name: string
  /** The expression. */
  expression: string
}

/** Observed state of a policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** Results of the type check. */
  typeChecking?: TypeChecking
  /**
   * The state, by aspect.
   * @listType map key=type
   */
  conditions?: Condition[]
}

/** Results of the type check. */
export interface TypeChecking {
  /**
   * Expressions that do not fit the types.
   * @listType atomic
   */
  expressionWarnings?: ExpressionWarning[]
}

/** An expression that does not fit the types. */
export interface ExpressionWarning {
  /** Where it stands. */
  fieldRef: string
  /** Error message. */
  warning: string
}

/** Puts a policy in force, for some requests and with parameters. */
export interface ValidatingAdmissionPolicyBinding extends ApiObject {
  /** Desired state. */
  spec?: ValidatingAdmissionPolicyBindingSpec
}

/** Desired state of a binding. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  policyName?: string
  /** The parameters. */
  paramRef?: ParamRef
  /** Which of the policy's requests. */
  matchResources?: MatchResources
  /**
   * Actions when an expression is false: Deny, Warn, Audit.
   * @listType set
   */
  validationActions?: string[]
}

/**
 * Names objects that are parameters.
 * @mapType atomic
 */
export interface ParamRef {
  /** By name. */
  name?: string
  /** Namespace; default: that of the request's object. */
  namespace?: string
  /** By labels. */
  selector?: LabelSelector
  /** Policy when there is none: Allow or Deny. */
  parameterNotFoundAction?: string
}
