// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Allowed verbs on resources or URLs.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Verbs; `*` matches all verbs.',
      'x-kubernetes-list-type': 'atomic',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; empty is the core group, `*` matches all groups.',
      'x-kubernetes-list-type': 'atomic',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with subresources as `pods/log`; `*` matches all resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    resourceNames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of objects; all objects when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceURLs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Non-resource URL paths; `*` at the end is a wildcard.',
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
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
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
  description: 'Selection of roles whose rules are combined.',
  properties: {
    clusterRoleSelectors: {
      type: 'array',
      items: LabelSelector,
      description: 'Label selectors for the roles.',
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
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
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
      description: 'Selection of other roles whose rules the ClusterRole combines.',
    },
  },
}

export const Subject: StructuralSchema = {
  type: 'object',
  description: 'User, group or service account.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind of the subject: User, Group or ServiceAccount.',
    },
    apiGroup: {
      type: 'string',
      description: 'API group of the subject: `rbac.authorization.k8s.io` for users and groups, empty for service accounts.',
    },
    name: {
      type: 'string',
      description: 'Name of the subject.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the service account.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const RoleRef: StructuralSchema = {
  type: 'object',
  description: 'Reference to a role.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the role: `rbac.authorization.k8s.io`.',
      default: 'rbac.authorization.k8s.io',
    },
    kind: {
      type: 'string',
      description: 'Kind of the role: Role or ClusterRole.',
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
  description: 'Grants the permissions of a role to subjects within one namespace.',
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
    subjects: {
      type: 'array',
      items: Subject,
      description: 'Subjects that the role is granted to.',
      'x-kubernetes-list-type': 'atomic',
    },
    roleRef: {
      ...RoleRef,
      description: 'Reference to the role of the subjects; immutable.',
    },
  },
  required: ['roleRef'],
}

export const ClusterRoleBinding: StructuralSchema = {
  type: 'object',
  description: 'Grants the permissions of a ClusterRole to subjects in the whole cluster.',
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
    subjects: {
      type: 'array',
      items: Subject,
      description: 'Subjects that the role is granted to.',
      'x-kubernetes-list-type': 'atomic',
    },
    roleRef: {
      ...RoleRef,
      description: 'Reference to the role of the subjects; immutable.',
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
