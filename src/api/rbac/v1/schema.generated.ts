// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Some verbs on some resources or URLs.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Verbs; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; empty is the core group, `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with subresources as `pods/log`; `*` is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    resourceNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of objects; absent is all.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceURLs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'URL paths outside of resources; `*` at the end is a wildcard.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['verbs'],
}

export const Role: StructuralSchema = {
  type: 'object',
  description: 'Permissions within one namespace.',
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
    rules: {
      type: 'array',
      items: PolicyRule,
      nullable: true,
      description: 'Allowed operations.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const AggregationRule: StructuralSchema = {
  type: 'object',
  description: 'Collects the rules of other roles.',
  properties: {
    clusterRoleSelectors: {
      type: 'array',
      items: LabelSelector,
      description: 'The roles, by label.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ClusterRole: StructuralSchema = {
  type: 'object',
  description: 'Permissions in all namespaces and on cluster-scoped objects.',
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
    rules: {
      type: 'array',
      items: PolicyRule,
      nullable: true,
      description: 'Allowed operations.',
      'x-kubernetes-list-type': 'atomic',
    },
    aggregationRule: {
      ...AggregationRule,
      description: 'Collects the rules of other roles.',
    },
  },
}

export const Subject: StructuralSchema = {
  type: 'object',
  description: 'A user, group or service account.',
  properties: {
    kind: {
      type: 'string',
      description: 'User, Group or ServiceAccount.',
    },
    apiGroup: {
      type: 'string',
      description: '`rbac.authorization.k8s.io` for users and groups, empty for service accounts.',
    },
    name: {
      type: 'string',
      description: 'Name of the subject.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of a service account.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const RoleRef: StructuralSchema = {
  type: 'object',
  description: 'Points to a role.',
  properties: {
    apiGroup: {
      type: 'string',
      description: '`rbac.authorization.k8s.io`.',
      default: 'rbac.authorization.k8s.io',
    },
    kind: {
      type: 'string',
      description: 'Role or ClusterRole.',
    },
    name: {
      type: 'string',
      description: 'Name of the role.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const RoleBinding: StructuralSchema = {
  type: 'object',
  description: 'Gives a role to subjects within one namespace.',
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
    subjects: {
      type: 'array',
      items: Subject,
      description: 'Subjects that get the role.',
      'x-kubernetes-list-type': 'atomic',
    },
    roleRef: {
      ...RoleRef,
      description: 'Role of the subjects; immutable.',
    },
  },
  required: ['roleRef'],
}

export const ClusterRoleBinding: StructuralSchema = {
  type: 'object',
  description: 'Gives a cluster role to subjects everywhere.',
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
    subjects: {
      type: 'array',
      items: Subject,
      description: 'Subjects that get the role.',
      'x-kubernetes-list-type': 'atomic',
    },
    roleRef: {
      ...RoleRef,
      description: 'Role of the subjects; immutable.',
    },
  },
  required: ['roleRef'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  ClusterRole: ClusterRole,
  ClusterRoleBinding: ClusterRoleBinding,
  Role: Role,
  RoleBinding: RoleBinding,
}
