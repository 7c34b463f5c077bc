import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Bytes, Int32 } from '#api/scalars.ts'

/** Webhooks that may change objects before they are stored. */
export interface MutatingWebhookConfiguration extends ApiObject {
  /**
   * Webhooks of the configuration.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  webhooks?: MutatingWebhook[]
}

/** Webhooks that may reject objects before they are stored. */
export interface ValidatingWebhookConfiguration extends ApiObject {
  /**
   * Webhooks of the configuration.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  webhooks?: ValidatingWebhook[]
}

/** Webhook that may reject objects. */
export interface ValidatingWebhook {
  /** Fully qualified name of the webhook: `virtualmachine-validator.kubevirt.io`. */
  name: string
  /** Connection to the webhook. */
  clientConfig: WebhookClientConfig
  /**
   * Operations and resources that the webhook is called for.
   * @listType atomic
   */
  rules?: RuleWithOperations[]
  /**
   * Policy when the webhook cannot be reached: Fail or Ignore.
   * @default Fail
   */
  failurePolicy?: string
  /**
   * Policy for matching other versions of a resource: Exact or Equivalent.
   * @default Equivalent
   */
  matchPolicy?: string
  /**
   * Label selector for the namespaces of the objects that the webhook is called for.
   * @default {}
   */
  namespaceSelector?: LabelSelector
  /**
   * Label selector for the objects that the webhook is called for.
   * @default {}
   */
  objectSelector?: LabelSelector
  /** Side effects of the webhook: None or NoneOnDryRun. */
  sideEffects: string
  /**
   * Seconds after which a call of the webhook times out.
   * @default 10
   */
  timeoutSeconds?: Int32
  /**
   * Versions of AdmissionReview that the webhook supports.
   * @listType atomic
   */
  admissionReviewVersions: string[]
  /**
   * Additional conditions of the requests, as CEL expressions.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  matchConditions?: MatchCondition[]
}

/** Webhook that may change objects. */
export interface MutatingWebhook extends ValidatingWebhook {
  /**
   * Policy for calling the webhook again after other webhooks have changed the object: Never or
   * IfNeeded.
   * @default Never
   */
  reinvocationPolicy?: string
}

/** Connection to a webhook: `url` or `service`. */
export interface WebhookClientConfig {
  /** URL of the webhook. */
  url?: string
  /** Service of the webhook. */
  service?: ServiceReference
  /** PEM bundle of CA certificates for verifying the certificate of the webhook, as base64. */
  caBundle?: Bytes
}

/** Reference to the service of a webhook. */
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

/** Operations on resources. */
export interface RuleWithOperations {
  /**
   * Operations: CREATE, UPDATE, DELETE, CONNECT or `*`.
   * @listType atomic
   */
  operations?: string[]
  /**
   * API groups; `*` matches all groups.
   * @listType atomic
   */
  apiGroups?: string[]
  /**
   * API versions; `*` matches all versions.
   * @listType atomic
   */
  apiVersions?: string[]
  /**
   * Resources, with subresources as `pods/status`; `*` matches all resources.
   * @listType atomic
   */
  resources?: string[]
  /**
   * Scope of the resources: Cluster, Namespaced or `*`.
   * @default *
   */
  scope?: string
}

/** Condition of a request, as a CEL expression. */
export interface MatchCondition {
  /** Name of the condition. */
  name: string
  /** CEL expression. */
  expression: string
}
