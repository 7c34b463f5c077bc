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
      description: 'Set by the server.',
      format: 'date-time',
      nullable: true,
    },
    deletionTimestamp: {
      type: 'string',
      description: 'Set by the server when deletion was asked for and something still holds the object.',
      format: 'date-time',
      nullable: true,
    },
    deletionGracePeriodSeconds: {
      type: 'integer',
      description: 'Seconds the object is given to end gracefully.',
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
      description: 'Key/value pairs that no selector looks at.',
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
      description: 'Names of those who must agree before the object may vanish.',
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    managedFields: {
      type: 'array',
      items: ManagedFieldsEntry,
      description: 'Who set which field.',
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
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
  },
  required: ['metadata'],
}

export const GroupVersionKind: StructuralSchema = {
  type: 'object',
  description: 'Names a kind in one version.',
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
  description: 'Names a resource in one version.',
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
  description: 'One condition on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'The label key.',
    },
    operator: {
      type: 'string',
      description: 'How the label is compared: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with; none for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const LabelSelector: StructuralSchema = {
  type: 'object',
  description: 'Chooses objects by their labels; all parts must match. An empty selector matches everything.',
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
      description: 'Conditions on labels, all of which must hold.',
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
