// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ParamKind: StructuralSchema = {
  type: 'object',
  description: 'A kind.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version.',
    },
    kind: {
      type: 'string',
      description: 'The kind.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const NamedRuleWithOperations: StructuralSchema = {
  type: 'object',
  description: 'Some operations on some resources, or on some objects of them.',
  properties: {
    operations: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'CREATE, UPDATE, DELETE, CONNECT or `*`.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API versions; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with subresources as `pods/status`; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    scope: {
      type: 'string',
      description: 'Cluster, Namespaced or `*`.',
      default: '*',
    },
    resourceNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the objects; none: all.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const MatchResources: StructuralSchema = {
  type: 'object',
  description: 'Which requests.',
  properties: {
    namespaceSelector: {
      ...LabelSelector,
      description: 'By the labels of the namespace.',
      default: {},
    },
    objectSelector: {
      ...LabelSelector,
      description: 'By the labels of the object.',
      default: {},
    },
    resourceRules: {
      type: 'array',
      items: NamedRuleWithOperations,
      description: 'By operation and resource.',
      'x-kubernetes-list-type': 'atomic',
    },
    excludeResourceRules: {
      type: 'array',
      items: NamedRuleWithOperations,
      description: 'Operations and resources that are left out.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchPolicy: {
      type: 'string',
      description: 'Whether rules also match other versions of a resource: Exact or Equivalent.',
      default: 'Equivalent',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const Validation: StructuralSchema = {
  type: 'object',
  description: 'Something that must be true.',
  properties: {
    expression: {
      type: 'string',
      description: 'The expression.',
    },
    message: {
      type: 'string',
      description: 'Message for the client otherwise.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the refusal: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge.',
    },
    messageExpression: {
      type: 'string',
      description: 'An expression that makes the message.',
    },
  },
  required: ['expression'],
}

export const AuditAnnotation: StructuralSchema = {
  type: 'object',
  description: 'Something for the audit log.',
  properties: {
    key: {
      type: 'string',
      description: 'Key, to which the name of the policy is put.',
    },
    valueExpression: {
      type: 'string',
      description: 'An expression that makes the value, or null for none.',
    },
  },
  required: ['key', 'valueExpression'],
}

export const MatchCondition: StructuralSchema = {
  type: 'object',
  description: 'A condition, as CEL.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the condition.',
    },
    expression: {
      type: 'string',
      description: 'The expression.',
    },
  },
  required: ['name', 'expression'],
}

export const Variable: StructuralSchema = {
  type: 'object',
  description: 'A value with a name.',
  properties: {
    name: {
      type: 'string',
      description: 'The name: `variables.<name>`.',
    },
    expression: {
      type: 'string',
      description: 'The expression.',
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
      description: 'Kind of the objects that bindings give as parameters.',
    },
    matchConstraints: {
      ...MatchResources,
      description: 'Which requests the policy is about.',
    },
    validations: {
      type: 'array',
      items: Validation,
      description: 'Expressions that must be true.',
      'x-kubernetes-list-type': 'atomic',
    },
    failurePolicy: {
      type: 'string',
      description: 'Policy when an expression fails or the policy is not set up rightly: Fail or Ignore.',
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
      description: 'Further conditions of the requests that the policy is about.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    variables: {
      type: 'array',
      items: Variable,
      description: 'Values with names, for the other expressions and for later variables.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
}

export const ExpressionWarning: StructuralSchema = {
  type: 'object',
  description: 'An expression that does not fit the types.',
  properties: {
    fieldRef: {
      type: 'string',
      description: 'Where it stands.',
    },
    warning: {
      type: 'string',
      description: 'Error message.',
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
      description: 'Expressions that do not fit the types.',
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
      description: 'The generation of the spec that this is about.',
    },
    typeChecking: {
      ...TypeChecking,
      description: 'Results of the type check.',
    },
    conditions: {
      type: 'array',
      items: Condition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
}

export const ValidatingAdmissionPolicy: StructuralSchema = {
  type: 'object',
  description: 'Rules, as CEL, by which requests are refused. Bindings put them in force.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...ValidatingAdmissionPolicySpec,
      description: 'The rules.',
    },
    status: {
      ...ValidatingAdmissionPolicyStatus,
      description: 'Observed state.',
    },
  },
}

export const ParamRef: StructuralSchema = {
  type: 'object',
  description: 'Names objects that are parameters.',
  properties: {
    name: {
      type: 'string',
      description: 'By name.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace; default: that of the request\'s object.',
    },
    selector: {
      ...LabelSelector,
      description: 'By labels.',
    },
    parameterNotFoundAction: {
      type: 'string',
      description: 'Policy when there is none: Allow or Deny.',
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
      description: 'The parameters.',
    },
    matchResources: {
      ...MatchResources,
      description: 'Which of the policy\'s requests.',
    },
    validationActions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Actions when an expression is false: Deny, Warn, Audit.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const ValidatingAdmissionPolicyBinding: StructuralSchema = {
  type: 'object',
  description: 'Puts a policy in force, for some requests and with parameters.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...ValidatingAdmissionPolicyBindingSpec,
      description: 'Desired state.',
    },
  },
}

export const ServiceReference: StructuralSchema = {
  type: 'object',
  description: 'A service that answers a webhook.',
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
  description: 'How to reach a webhook: `url` or `service`.',
  properties: {
    url: {
      type: 'string',
      description: 'URL.',
    },
    service: {
      ...ServiceReference,
      description: 'Service.',
    },
    caBundle: {
      type: 'string',
      format: 'byte',
      description: 'PEM bundle that its certificate is checked with, as base64.',
    },
  },
}

export const RuleWithOperations: StructuralSchema = {
  type: 'object',
  description: 'Some operations on some resources.',
  properties: {
    operations: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'CREATE, UPDATE, DELETE, CONNECT or `*`.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API versions; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with subresources as `pods/status`; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    scope: {
      type: 'string',
      description: 'Cluster, Namespaced or `*`.',
      default: '*',
    },
  },
}

export const MutatingWebhook: StructuralSchema = {
  type: 'object',
  description: 'A webhook that may change objects.',
  properties: {
    name: {
      type: 'string',
      description: 'Full name: `virtualmachine-validator.kubevirt.io`.',
    },
    clientConfig: {
      ...WebhookClientConfig,
      description: 'How to reach it.',
    },
    rules: {
      type: 'array',
      items: RuleWithOperations,
      description: 'Which operations on which resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    failurePolicy: {
      type: 'string',
      description: 'Policy when it cannot be reached: Fail or Ignore.',
      default: 'Fail',
    },
    matchPolicy: {
      type: 'string',
      description: 'Whether rules also match other versions of a resource: Exact or Equivalent.',
      default: 'Equivalent',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Which namespaces.',
      default: {},
    },
    objectSelector: {
      ...LabelSelector,
      description: 'Which objects.',
      default: {},
    },
    sideEffects: {
      type: 'string',
      description: 'None or NoneOnDryRun.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds until an answer is overdue.',
      default: 10,
    },
    admissionReviewVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of AdmissionReview that it understands.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchConditions: {
      type: 'array',
      items: MatchCondition,
      description: 'Further conditions, as CEL.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    reinvocationPolicy: {
      type: 'string',
      description: 'Whether it is called again after others changed the object: Never or IfNeeded.',
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
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    webhooks: {
      type: 'array',
      items: MutatingWebhook,
      description: 'The webhooks.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
}

export const ValidatingWebhook: StructuralSchema = {
  type: 'object',
  description: 'A webhook that may refuse objects.',
  properties: {
    name: {
      type: 'string',
      description: 'Full name: `virtualmachine-validator.kubevirt.io`.',
    },
    clientConfig: {
      ...WebhookClientConfig,
      description: 'How to reach it.',
    },
    rules: {
      type: 'array',
      items: RuleWithOperations,
      description: 'Which operations on which resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    failurePolicy: {
      type: 'string',
      description: 'Policy when it cannot be reached: Fail or Ignore.',
      default: 'Fail',
    },
    matchPolicy: {
      type: 'string',
      description: 'Whether rules also match other versions of a resource: Exact or Equivalent.',
      default: 'Equivalent',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Which namespaces.',
      default: {},
    },
    objectSelector: {
      ...LabelSelector,
      description: 'Which objects.',
      default: {},
    },
    sideEffects: {
      type: 'string',
      description: 'None or NoneOnDryRun.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds until an answer is overdue.',
      default: 10,
    },
    admissionReviewVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of AdmissionReview that it understands.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchConditions: {
      type: 'array',
      items: MatchCondition,
      description: 'Further conditions, as CEL.',
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
  description: 'Webhooks that may refuse objects before they are stored.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    webhooks: {
      type: 'array',
      items: ValidatingWebhook,
      description: 'The webhooks.',
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
