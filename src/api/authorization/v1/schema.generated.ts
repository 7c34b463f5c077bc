// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ResourceAttributes: StructuralSchema = {
  type: 'object',
  description: 'Action on a resource.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the object; empty for all namespaces or for cluster-scoped resources.',
    },
    verb: {
      type: 'string',
      description: 'Verb of the action.',
    },
    group: {
      type: 'string',
      description: 'API group of the resource.',
    },
    version: {
      type: 'string',
      description: 'API version of the resource.',
    },
    resource: {
      type: 'string',
      description: 'Name of the resource.',
    },
    subresource: {
      type: 'string',
      description: 'Name of the subresource.',
    },
    name: {
      type: 'string',
      description: 'Name of the object; empty for all objects.',
    },
    fieldSelector: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Field selector of the action.',
    },
    labelSelector: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Label selector of the action.',
    },
  },
}

export const NonResourceAttributes: StructuralSchema = {
  type: 'object',
  description: 'Action on a non-resource URL.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the URL.',
    },
    verb: {
      type: 'string',
      description: 'Verb of the action.',
    },
  },
}

export const SubjectAccessReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'User and action to check.',
  properties: {
    resourceAttributes: {
      ...ResourceAttributes,
      description: 'Action on a resource.',
    },
    nonResourceAttributes: {
      ...NonResourceAttributes,
      description: 'Action on a non-resource URL.',
    },
    user: {
      type: 'string',
      description: 'Name of the user.',
    },
    groups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Groups of the user.',
      'x-kubernetes-list-type': 'atomic',
    },
    extra: {
      type: 'object',
      additionalProperties: {
        type: 'array',
        items: {
          type: 'string',
        },
      },
      description: 'Additional attributes of the user.',
    },
    uid: {
      type: 'string',
      description: 'UID of the user.',
    },
  },
}

export const SubjectAccessReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'Result of the check of an action.',
  properties: {
    allowed: {
      type: 'boolean',
      description: 'True if the action is allowed.',
    },
    denied: {
      type: 'boolean',
      description: 'True if the action is denied, even if another authorizer allows the action.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the decision.',
    },
    evaluationError: {
      type: 'string',
      description: 'Error of the evaluation.',
    },
  },
  required: ['allowed'],
}

export const SubjectAccessReview: StructuralSchema = {
  type: 'object',
  description: 'Checks whether a user is allowed to perform an action. Never stored.',
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
      ...SubjectAccessReviewSpec,
      description: 'User and action to check.',
    },
    status: {
      ...SubjectAccessReviewStatus,
      description: 'Result of the check.',
    },
  },
  required: ['spec'],
}

export const LocalSubjectAccessReview: StructuralSchema = {
  type: 'object',
  description: 'Checks whether a user is allowed to perform an action in one namespace. Never stored.',
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
      ...SubjectAccessReviewSpec,
      description: 'User and action to check.',
    },
    status: {
      ...SubjectAccessReviewStatus,
      description: 'Result of the check.',
    },
  },
  required: ['spec'],
}

export const SelfSubjectAccessReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'Action to check.',
  properties: {
    resourceAttributes: {
      ...ResourceAttributes,
      description: 'Action on a resource.',
    },
    nonResourceAttributes: {
      ...NonResourceAttributes,
      description: 'Action on a non-resource URL.',
    },
  },
}

export const SelfSubjectAccessReview: StructuralSchema = {
  type: 'object',
  description: 'Checks whether the caller is allowed to perform an action. Never stored.',
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
      ...SelfSubjectAccessReviewSpec,
      description: 'Action to check.',
    },
    status: {
      ...SubjectAccessReviewStatus,
      description: 'Result of the check.',
    },
  },
  required: ['spec'],
}

export const SelfSubjectRulesReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'Namespace to evaluate.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Name of the namespace.',
    },
  },
}

export const ResourceRule: StructuralSchema = {
  type: 'object',
  description: 'Allowed verbs on resources.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Allowed verbs.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    resourceNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of objects.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['verbs'],
}

export const NonResourceRule: StructuralSchema = {
  type: 'object',
  description: 'Allowed verbs on non-resource URLs.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Allowed verbs.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceURLs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Non-resource URL paths.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['verbs'],
}

export const SubjectRulesReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'Allowed actions.',
  properties: {
    resourceRules: {
      type: 'array',
      items: ResourceRule,
      description: 'Allowed actions on resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceRules: {
      type: 'array',
      items: NonResourceRule,
      description: 'Allowed actions on non-resource URLs.',
      'x-kubernetes-list-type': 'atomic',
    },
    incomplete: {
      type: 'boolean',
      description: 'True if the lists are incomplete.',
    },
    evaluationError: {
      type: 'string',
      description: 'Error of the evaluation.',
    },
  },
  required: ['resourceRules', 'nonResourceRules', 'incomplete'],
}

export const SelfSubjectRulesReview: StructuralSchema = {
  type: 'object',
  description: 'Lists the actions that the caller is allowed to perform in one namespace. Never stored.',
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
      ...SelfSubjectRulesReviewSpec,
      description: 'Namespace to evaluate.',
    },
    status: {
      ...SubjectRulesReviewStatus,
      description: 'Allowed actions.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  LocalSubjectAccessReview: LocalSubjectAccessReview,
  SelfSubjectAccessReview: SelfSubjectAccessReview,
  SelfSubjectRulesReview: SelfSubjectRulesReview,
  SubjectAccessReview: SubjectAccessReview,
}
