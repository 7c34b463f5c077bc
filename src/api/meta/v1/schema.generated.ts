// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const OwnerReference: StructuralSchema = {
  type: 'object',
  description: 'Points from a dependent to its owner, in the same namespace or cluster-scoped.',
  properties: {
    apiVersion: {
      type: 'string',
    },
    kind: {
      type: 'string',
    },
    name: {
      type: 'string',
    },
    uid: {
      type: 'string',
    },
    controller: {
      type: 'boolean',
      description: 'True for the one owner that manages the object.',
    },
    blockOwnerDeletion: {
      type: 'boolean',
      description: 'True when the owner\'s foreground deletion must wait for this object.',
    },
  },
  required: ['apiVersion', 'kind', 'name', 'uid'],
  'x-kubernetes-map-type': 'atomic',
}

export const ManagedFieldsEntry: StructuralSchema = {
  type: 'object',
  description: 'The set of fields that one manager owns.',
  properties: {
    manager: {
      type: 'string',
    },
    operation: {
      type: 'string',
    },
    apiVersion: {
      type: 'string',
    },
    time: {
      type: 'string',
      format: 'date-time',
    },
    fieldsType: {
      type: 'string',
    },
    fieldsV1: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    subresource: {
      type: 'string',
    },
  },
}

export const ObjectMeta: StructuralSchema = {
  type: 'object',
  description: 'A resource\'s metadata as every Kubernetes object carries it. Times are RFC 3339 strings with second precision.',
  properties: {
    name: {
      type: 'string',
      description: 'Name, unique within the namespace. Chosen by the client, or made by the server from `generateName`.',
    },
    generateName: {
      type: 'string',
      description: 'Prefix for a server-made name; five random characters are appended.',
    },
    namespace: {
      type: 'string',
      description: 'Absent for cluster-scoped objects.',
    },
    uid: {
      type: 'string',
      description: 'UUID v4, set by the server at creation.',
    },
    resourceVersion: {
      type: 'string',
      description: 'Opaque version for optimistic concurrency and watches. Set by the server.',
    },
    generation: {
      type: 'integer',
      description: 'Counts changes of the desired state (everything outside metadata and status).',
      format: 'int64',
    },
    creationTimestamp: {
      type: 'string',
      description: 'Time of the creation. Set by the server.',
      format: 'date-time',
      nullable: true,
    },
    deletionTimestamp: {
      type: 'string',
      description: 'Time after which the object is deleted. Set by the server while finalizers or a grace period delay the deletion.',
      format: 'date-time',
      nullable: true,
    },
    deletionGracePeriodSeconds: {
      type: 'integer',
      description: 'Seconds between the request and the deletion of the object.',
      format: 'int64',
    },
    labels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Key/value pairs that selectors match.',
    },
    annotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Key/value pairs for tools and controllers; selectors do not match them.',
    },
    ownerReferences: {
      type: 'array',
      items: OwnerReference,
      description: 'Objects that this one depends on; the garbage collector deletes it when all of them are gone.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
    },
    finalizers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Identifiers of the controllers that must act before the object is deleted.',
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    managedFields: {
      type: 'array',
      items: ManagedFieldsEntry,
      description: 'Fields of the object by the manager that owns them.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ApiObject: StructuralSchema = {
  type: 'object',
  description: 'Fields of every API object.',
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
  },
  required: ['metadata'],
}

export const GroupVersionKind: StructuralSchema = {
  type: 'object',
  description: 'Identifier of a kind in one version.',
  properties: {
    group: {
      type: 'string',
    },
    version: {
      type: 'string',
    },
    kind: {
      type: 'string',
    },
  },
  required: ['group', 'version', 'kind'],
}

export const GroupVersionResource: StructuralSchema = {
  type: 'object',
  description: 'Identifier of a resource in one version.',
  properties: {
    group: {
      type: 'string',
    },
    version: {
      type: 'string',
    },
    resource: {
      type: 'string',
    },
  },
  required: ['group', 'version', 'resource'],
}

export const LabelSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with; empty for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const LabelSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of objects by labels. All requirements must match. An empty selector matches all objects.',
  properties: {
    matchLabels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that must have exactly these values.',
    },
    matchExpressions: {
      type: 'array',
      items: LabelSelectorRequirement,
      description: 'Requirements on labels. All requirements must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const ListMeta: StructuralSchema = {
  type: 'object',
  description: 'Metadata of a list.',
  properties: {
    resourceVersion: {
      type: 'string',
    },
    continue: {
      type: 'string',
    },
    remainingItemCount: {
      type: 'number',
    },
  },
}

export const KubeObject: StructuralSchema = {
  type: 'object',
  description: 'Any Kubernetes object. Wire types of `#api` are structurally assignable to it.',
  properties: {
    apiVersion: {
      type: 'string',
    },
    kind: {
      type: 'string',
    },
    metadata: ObjectMeta,
  },
}

export const Condition: StructuralSchema = {
  type: 'object',
  description: '`metav1.Condition`, and the older condition shapes that lack some of its fields.',
  properties: {
    type: {
      type: 'string',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
    },
    lastProbeTime: {
      type: 'string',
      nullable: true,
      format: 'date-time',
    },
    lastTransitionTime: {
      type: 'string',
      nullable: true,
      format: 'date-time',
    },
    reason: {
      type: 'string',
    },
    message: {
      type: 'string',
    },
  },
  required: ['type', 'status'],
}
