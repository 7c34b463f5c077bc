// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

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
      description: 'What happens when it cannot be reached: Fail or Ignore.',
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
      description: 'What happens when it cannot be reached: Fail or Ignore.',
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
  ValidatingWebhookConfiguration: ValidatingWebhookConfiguration,
}
