// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ResourceAttributes: StructuralSchema = {
  type: 'object',
  description: 'Something to be done with a resource.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace; empty is all, or none.',
    },
    verb: {
      type: 'string',
      description: 'The verb.',
    },
    group: {
      type: 'string',
      description: 'API group.',
    },
    version: {
      type: 'string',
      description: 'API version.',
    },
    resource: {
      type: 'string',
      description: 'The resource.',
    },
    subresource: {
      type: 'string',
      description: 'The subresource.',
    },
    name: {
      type: 'string',
      description: 'Name of the object; empty is all.',
    },
    fieldSelector: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Field selector.',
    },
    labelSelector: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Label selector.',
    },
  },
}

export const NonResourceAttributes: StructuralSchema = {
  type: 'object',
  description: 'Something to be done with a URL outside of resources.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the URL.',
    },
    verb: {
      type: 'string',
      description: 'The verb.',
    },
  },
}

export const SubjectAccessReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'Whether a user may do something.',
  properties: {
    resourceAttributes: {
      ...ResourceAttributes,
      description: 'With a resource.',
    },
    nonResourceAttributes: {
      ...NonResourceAttributes,
      description: 'With a URL outside of resources.',
    },
    user: {
      type: 'string',
      description: 'User name.',
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
      description: 'Further facts about the user.',
    },
    uid: {
      type: 'string',
      description: 'Identifies the user.',
    },
  },
}

export const SubjectAccessReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'Whether it may be done.',
  properties: {
    allowed: {
      type: 'boolean',
      description: 'Yes.',
    },
    denied: {
      type: 'boolean',
      description: 'No, whatever others say.',
    },
    reason: {
      type: 'string',
      description: 'Why.',
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
  description: 'Asks whether a user may do something. Never stored.',
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
      ...SubjectAccessReviewSpec,
      description: 'The question.',
    },
    status: {
      ...SubjectAccessReviewStatus,
      description: 'The answer.',
    },
  },
  required: ['spec'],
}

export const LocalSubjectAccessReview: StructuralSchema = {
  type: 'object',
  description: 'Asks whether a user may do something in one namespace. Never stored.',
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
      ...SubjectAccessReviewSpec,
      description: 'The question.',
    },
    status: {
      ...SubjectAccessReviewStatus,
      description: 'The answer.',
    },
  },
  required: ['spec'],
}

export const SelfSubjectAccessReviewSpec: StructuralSchema = {
  type: 'object',
  description: 'Something to be done.',
  properties: {
    resourceAttributes: {
      ...ResourceAttributes,
      description: 'With a resource.',
    },
    nonResourceAttributes: {
      ...NonResourceAttributes,
      description: 'With a URL outside of resources.',
    },
  },
}

export const SelfSubjectAccessReview: StructuralSchema = {
  type: 'object',
  description: 'Asks whether the caller may do something. Never stored.',
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
      ...SelfSubjectAccessReviewSpec,
      description: 'The question.',
    },
    status: {
      ...SubjectAccessReviewStatus,
      description: 'The answer.',
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
      description: 'The namespace.',
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
      description: 'Verbs.',
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
  description: 'Allowed verbs on URLs outside of resources.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Verbs.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceURLs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'URL paths.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['verbs'],
}

export const SubjectRulesReviewStatus: StructuralSchema = {
  type: 'object',
  description: 'Allowed operations.',
  properties: {
    resourceRules: {
      type: 'array',
      items: ResourceRule,
      description: 'With resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceRules: {
      type: 'array',
      items: NonResourceRule,
      description: 'With URLs outside of resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    incomplete: {
      type: 'boolean',
      description: 'Whether the lists lack something.',
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
  description: 'Asks what the caller may do in one namespace. Never stored.',
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
      ...SelfSubjectRulesReviewSpec,
      description: 'The question.',
    },
    status: {
      ...SubjectRulesReviewStatus,
      description: 'The answer.',
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
