// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ParamKind: StructuralSchema = {
  type: 'object',
  description: 'Kind of the parameter objects.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the kind.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the objects.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const NamedRuleWithOperations: StructuralSchema = {
  type: 'object',
  description: 'Operations on resources, or only on named objects of the resources.',
  properties: {
    operations: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Operations: CREATE, UPDATE, DELETE, CONNECT or `*`.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; `*` matches all groups.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API versions; `*` matches all versions.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with subresources as `pods/status`; `*` matches all resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    scope: {
      type: 'string',
      description: 'Scope of the resources: Cluster, Namespaced or `*`.',
      default: '*',
    },
    resourceNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the objects; all objects when empty.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const MatchResources: StructuralSchema = {
  type: 'object',
  description: 'Selection of requests.',
  properties: {
    namespaceSelector: {
      ...LabelSelector,
      description: 'Label selector for the namespace of the object.',
      default: {},
    },
    objectSelector: {
      ...LabelSelector,
      description: 'Label selector for the object.',
      default: {},
    },
    resourceRules: {
      type: 'array',
      items: NamedRuleWithOperations,
      description: 'Operations and resources to match.',
      'x-kubernetes-list-type': 'atomic',
    },
    excludeResourceRules: {
      type: 'array',
      items: NamedRuleWithOperations,
      description: 'Operations and resources to exclude.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchPolicy: {
      type: 'string',
      description: 'Policy for matching other versions of a resource: Exact or Equivalent.',
      default: 'Equivalent',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const Validation: StructuralSchema = {
  type: 'object',
  description: 'CEL expression that must be true.',
  properties: {
    expression: {
      type: 'string',
      description: 'CEL expression.',
    },
    message: {
      type: 'string',
      description: 'Message for the client if the expression is not true.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the rejection: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge.',
    },
    messageExpression: {
      type: 'string',
      description: 'CEL expression that returns the message.',
    },
  },
  required: ['expression'],
}

export const AuditAnnotation: StructuralSchema = {
  type: 'object',
  description: 'Annotation of the audit log entry.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the annotation, which is combined with the name of the policy.',
    },
    valueExpression: {
      type: 'string',
      description: 'CEL expression that returns the value, or null for no annotation.',
    },
  },
  required: ['key', 'valueExpression'],
}

export const MatchCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a request, as a CEL expression.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the condition.',
    },
    expression: {
      type: 'string',
      description: 'CEL expression.',
    },
  },
  required: ['name', 'expression'],
}

export const Variable: StructuralSchema = {
  type: 'object',
  description: 'Named value.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the variable in expressions: `variables.<name>`.',
    },
    expression: {
      type: 'string',
      description: 'CEL expression that returns the value.',
    },
  },
  required: ['name', 'expression'],
  'x-kubernetes-map-type': 'atomic',
}

export const ValidatingAdmissionPolicySpec: StructuralSchema = {
  type: 'object',
  description: 'The rules of a policy.',
  properties: {
    paramKind: {
      ...ParamKind,
      description: 'Kind of the parameter objects that bindings provide.',
    },
    matchConstraints: {
      ...MatchResources,
      description: 'Requests that the policy applies to.',
    },
    validations: {
      type: 'array',
      items: Validation,
      description: 'CEL expressions that must be true.',
      'x-kubernetes-list-type': 'atomic',
    },
    failurePolicy: {
      type: 'string',
      description: 'Policy when an expression fails or the policy is misconfigured: Fail or Ignore.',
      default: 'Fail',
    },
    auditAnnotations: {
      type: 'array',
      items: AuditAnnotation,
      description: 'Annotations of the audit log entry.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchConditions: {
      type: 'array',
      items: MatchCondition,
      description: 'Additional conditions of the requests that the policy applies to.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    variables: {
      type: 'array',
      items: Variable,
      description: 'Named values for the other expressions and for later variables.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
}

export const ExpressionWarning: StructuralSchema = {
  type: 'object',
  description: 'Warning about an expression with a type error.',
  properties: {
    fieldRef: {
      type: 'string',
      description: 'Path of the field with the expression.',
    },
    warning: {
      type: 'string',
      description: 'Message of the type error.',
    },
  },
  required: ['fieldRef', 'warning'],
}

export const TypeChecking: StructuralSchema = {
  type: 'object',
  description: 'Results of the type check.',
  properties: {
    expressionWarnings: {
      type: 'array',
      items: ExpressionWarning,
      description: 'Warnings about expressions with type errors.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ValidatingAdmissionPolicyStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a policy.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    typeChecking: {
      ...TypeChecking,
      description: 'Results of the type check.',
    },
    conditions: {
      type: 'array',
      items: Condition,
      description: 'Conditions of the policy.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
}

export const ValidatingAdmissionPolicy: StructuralSchema = {
  type: 'object',
  description: 'CEL rules for rejecting requests. Bindings put the policy into effect.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...ValidatingAdmissionPolicySpec,
      description: 'Rules of the policy.',
    },
    status: {
      ...ValidatingAdmissionPolicyStatus,
      description: 'Observed state of the policy.',
    },
  },
}

export const ParamRef: StructuralSchema = {
  type: 'object',
  description: 'Reference to parameter objects.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the parameter object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the parameter objects. Defaults to the namespace of the object in the request.',
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the parameter objects.',
    },
    parameterNotFoundAction: {
      type: 'string',
      description: 'Action when no parameter object is found: Allow or Deny.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const ValidatingAdmissionPolicyBindingSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a binding.',
  properties: {
    policyName: {
      type: 'string',
      description: 'Name of the policy.',
    },
    paramRef: {
      ...ParamRef,
      description: 'Reference to the parameter objects.',
    },
    matchResources: {
      ...MatchResources,
      description: 'Requests of the policy that the binding applies to.',
    },
    validationActions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Actions when an expression is not true: Deny, Warn, Audit.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const ValidatingAdmissionPolicyBinding: StructuralSchema = {
  type: 'object',
  description: 'Puts a policy into effect for selected requests, with parameters.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...ValidatingAdmissionPolicyBindingSpec,
      description: 'Desired state of the binding.',
    },
  },
}

export const ServiceReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to the service of a webhook.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the service.',
    },
    name: {
      type: 'string',
      description: 'Name of the service.',
    },
    path: {
      type: 'string',
      description: 'Path of the URL.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port of the service.',
      default: 443,
    },
  },
  required: ['namespace', 'name'],
}

export const WebhookClientConfig: StructuralSchema = {
  type: 'object',
  description: 'Connection to a webhook: `url` or `service`.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the webhook.',
    },
    service: {
      ...ServiceReference,
      description: 'Service of the webhook.',
    },
    caBundle: {
      type: 'string',
      format: 'byte',
      description: 'PEM bundle of CA certificates for verifying the certificate of the webhook, as base64.',
    },
  },
}

export const RuleWithOperations: StructuralSchema = {
  type: 'object',
  description: 'Operations on resources.',
  properties: {
    operations: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Operations: CREATE, UPDATE, DELETE, CONNECT or `*`.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; `*` matches all groups.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API versions; `*` matches all versions.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with subresources as `pods/status`; `*` matches all resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    scope: {
      type: 'string',
      description: 'Scope of the resources: Cluster, Namespaced or `*`.',
      default: '*',
    },
  },
}

export const MutatingWebhook: StructuralSchema = {
  type: 'object',
  description: 'Webhook that may change objects.',
  properties: {
    name: {
      type: 'string',
      description: 'Fully qualified name of the webhook: `virtualmachine-validator.kubevirt.io`.',
    },
    clientConfig: {
      ...WebhookClientConfig,
      description: 'Connection to the webhook.',
    },
    rules: {
      type: 'array',
      items: RuleWithOperations,
      description: 'Operations and resources that the webhook is called for.',
      'x-kubernetes-list-type': 'atomic',
    },
    failurePolicy: {
      type: 'string',
      description: 'Policy when the webhook cannot be reached: Fail or Ignore.',
      default: 'Fail',
    },
    matchPolicy: {
      type: 'string',
      description: 'Policy for matching other versions of a resource: Exact or Equivalent.',
      default: 'Equivalent',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Label selector for the namespaces of the objects that the webhook is called for.',
      default: {},
    },
    objectSelector: {
      ...LabelSelector,
      description: 'Label selector for the objects that the webhook is called for.',
      default: {},
    },
    sideEffects: {
      type: 'string',
      description: 'Side effects of the webhook: None or NoneOnDryRun.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after which a call of the webhook times out.',
      default: 10,
    },
    admissionReviewVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of AdmissionReview that the webhook supports.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchConditions: {
      type: 'array',
      items: MatchCondition,
      description: 'Additional conditions of the requests, as CEL expressions.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    reinvocationPolicy: {
      type: 'string',
      description: 'Policy for calling the webhook again after other webhooks have changed the object: Never or IfNeeded.',
      default: 'Never',
    },
  },
  required: ['name', 'clientConfig', 'sideEffects', 'admissionReviewVersions'],
}

export const MutatingWebhookConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Webhooks that may change objects before they are stored.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    webhooks: {
      type: 'array',
      items: MutatingWebhook,
      description: 'Webhooks of the configuration.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
}

export const ValidatingWebhook: StructuralSchema = {
  type: 'object',
  description: 'Webhook that may reject objects.',
  properties: {
    name: {
      type: 'string',
      description: 'Fully qualified name of the webhook: `virtualmachine-validator.kubevirt.io`.',
    },
    clientConfig: {
      ...WebhookClientConfig,
      description: 'Connection to the webhook.',
    },
    rules: {
      type: 'array',
      items: RuleWithOperations,
      description: 'Operations and resources that the webhook is called for.',
      'x-kubernetes-list-type': 'atomic',
    },
    failurePolicy: {
      type: 'string',
      description: 'Policy when the webhook cannot be reached: Fail or Ignore.',
      default: 'Fail',
    },
    matchPolicy: {
      type: 'string',
      description: 'Policy for matching other versions of a resource: Exact or Equivalent.',
      default: 'Equivalent',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Label selector for the namespaces of the objects that the webhook is called for.',
      default: {},
    },
    objectSelector: {
      ...LabelSelector,
      description: 'Label selector for the objects that the webhook is called for.',
      default: {},
    },
    sideEffects: {
      type: 'string',
      description: 'Side effects of the webhook: None or NoneOnDryRun.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after which a call of the webhook times out.',
      default: 10,
    },
    admissionReviewVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of AdmissionReview that the webhook supports.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchConditions: {
      type: 'array',
      items: MatchCondition,
      description: 'Additional conditions of the requests, as CEL expressions.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
  required: ['name', 'clientConfig', 'sideEffects', 'admissionReviewVersions'],
}

export const ValidatingWebhookConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Webhooks that may reject objects before they are stored.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    webhooks: {
      type: 'array',
      items: ValidatingWebhook,
      description: 'Webhooks of the configuration.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  MutatingWebhookConfiguration: MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy: ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding: ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration: ValidatingWebhookConfiguration,
}
