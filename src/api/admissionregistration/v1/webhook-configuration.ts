import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Bytes, Int32 } from '#api/scalars.ts'

/** Webhooks that may change objects before they are stored. */
export interface MutatingWebhookConfiguration extends ApiObject {
  /**
   * The webhooks.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  webhooks?: MutatingWebhook[]
}

/** Webhooks that may refuse objects before they are stored. */
export interface ValidatingWebhookConfiguration extends ApiObject {
  /**
   * The webhooks.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  webhooks?: ValidatingWebhook[]
}

/** A webhook that may refuse objects. */
export interface ValidatingWebhook {
  /** Full name: `virtualmachine-validator.kubevirt.io`. */
  name: string
  /** How to reach it. */
  clientConfig: WebhookClientConfig
  /**
   * Which operations on which resources.
   * @listType atomic
   */
  rules?: RuleWithOperations[]
  /**
   * Policy when it cannot be reached: Fail or Ignore.
   * @default Fail
   */
  failurePolicy?: string
  /**
   * Whether rules also match other versions of a resource: Exact or Equivalent.
   * @default Equivalent
   */
  matchPolicy?: string
  /**
   * Which namespaces.
   * @default {}
   */
  namespaceSelector?: LabelSelector
  /**
   * Which objects.
   * @default {}
   */
  objectSelector?: LabelSelector
  /** None or NoneOnDryRun. */
  sideEffects: string
  /**
   * Seconds until an answer is overdue.
   * @default 10
   */
  timeoutSeconds?: Int32
  /**
   * Versions of AdmissionReview that it understands.
   * @listType atomic
   */
  admissionReviewVersions: string[]
  /**
   * Further conditions, as CEL.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  matchConditions?: MatchCondition[]
}

/** A webhook that may change objects. */
export interface MutatingWebhook extends ValidatingWebhook {
  /**
   * Whether it is called again after others changed the object: Never or IfNeeded.
   * @default Never
   */
  reinvocationPolicy?: string
}

/** How to reach a webhook: `url` or `service`. */
export interface WebhookClientConfig {
  /** URL. */
  url?: string
  /** Service. */
  service?: ServiceReference
  /** PEM bundle that its certificate is checked with, as base64. */
  caBundle?: Bytes
}

/** A service that answers a webhook. */
export interface ServiceReference {
  /** Namespace of the service. */
  namespace: string
  /** Name of the service. */
  name: string
  /** Path of the URL. */
  path?: string
  /**
   * Port of the service.
   * @default 443
   */
  port?: Int32
}

/** Some operations on some resources. */
export interface RuleWithOperations {
  /**
   * CREATE, UPDATE, DELETE, CONNECT or `*`.
   * @listType atomic
   */
  operations?: string[]
  /**
   * API groups; `*` is all.
   * @listType atomic
   */
  apiGroups?: string[]
  /**
   * API versions; `*` is all.
   * @listType atomic
   */
  apiVersions?: string[]
  /**
   * Resources, with subresources as `pods/status`; `*` is all.
   * @listType atomic
   */
  resources?: string[]
  /**
   * Cluster, Namespaced or `*`.
   * @default *
   */
  scope?: string
}

/** A condition, as CEL. */
export interface MatchCondition {
  /** Name of the condition. */
  name: string
  /** The expression. */
  expression: string
}
