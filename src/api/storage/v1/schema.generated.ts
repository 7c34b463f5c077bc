// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const CSITokenRequest: StructuralSchema = {
  type: 'object',
  description: 'A token for a driver.',
  properties: {
    audience: {
      type: 'string',
      description: 'For whom.',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'For how many seconds.',
    },
  },
  required: ['audience'],
}

export const CSIDriverSpec: StructuralSchema = {
  type: 'object',
  description: 'The abilities of a driver.',
  properties: {
    attachRequired: {
      type: 'boolean',
      description: 'Whether volumes must be attached to a node first.',
    },
    podInfoOnMount: {
      type: 'boolean',
      description: 'Whether the driver wants to know about the pod.',
    },
    volumeLifecycleModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Persistent, Ephemeral.',
      'x-kubernetes-list-type': 'set',
    },
    storageCapacity: {
      type: 'boolean',
      description: 'Whether it tells how much space there is.',
    },
    fsGroupPolicy: {
      type: 'string',
      description: 'Policy for changing the group of the files.',
    },
    tokenRequests: {
      type: 'array',
      items: CSITokenRequest,
      description: 'Tokens that the driver gets.',
      'x-kubernetes-list-type': 'atomic',
    },
    requiresRepublish: {
      type: 'boolean',
      description: 'Whether it is called again to refresh what it mounted.',
    },
    seLinuxMount: {
      type: 'boolean',
      description: 'Whether it mounts with SELinux labels.',
    },
    nodeAllocatableUpdatePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds after which the number of volumes that a node can take is asked for again.',
    },
  },
}

export const CSIDriver: StructuralSchema = {
  type: 'object',
  description: 'Capabilities of a volume driver.',
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
      ...CSIDriverSpec,
      description: 'The abilities.',
    },
  },
  required: ['spec'],
}

export const VolumeNodeResources: StructuralSchema = {
  type: 'object',
  description: 'How many volumes a node can take.',
  properties: {
    count: {
      type: 'integer',
      format: 'int32',
      description: 'The number.',
    },
  },
}

export const CSINodeDriver: StructuralSchema = {
  type: 'object',
  description: 'A driver on a node.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the driver.',
    },
    nodeID: {
      type: 'string',
      description: 'Name of the node for the driver.',
    },
    topologyKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Topology labels that it knows.',
      'x-kubernetes-list-type': 'atomic',
    },
    allocatable: {
      ...VolumeNodeResources,
      description: 'How many volumes it can take.',
    },
  },
  required: ['name', 'nodeID'],
}

export const CSINodeSpec: StructuralSchema = {
  type: 'object',
  description: 'Drivers of a node.',
  properties: {
    drivers: {
      type: 'array',
      items: CSINodeDriver,
      description: 'The drivers.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
  required: ['drivers'],
}

export const CSINode: StructuralSchema = {
  type: 'object',
  description: 'Drivers of a node.',
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
      ...CSINodeSpec,
      description: 'The drivers.',
    },
  },
  required: ['spec'],
}

export const VolumeAttachmentSource: StructuralSchema = {
  type: 'object',
  description: 'The volume of an attachment.',
  properties: {
    persistentVolumeName: {
      type: 'string',
      description: 'Its name.',
    },
    inlineVolumeSpec: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Its spec, when it is part of a pod.',
    },
  },
}

export const VolumeAttachmentSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an attachment.',
  properties: {
    attacher: {
      type: 'string',
      description: 'Driver that attaches.',
    },
    source: {
      ...VolumeAttachmentSource,
      description: 'The volume.',
    },
    nodeName: {
      type: 'string',
      description: 'The node.',
    },
  },
  required: ['attacher', 'source', 'nodeName'],
}

export const VolumeError: StructuralSchema = {
  type: 'object',
  description: 'A failure of a driver.',
  properties: {
    time: {
      type: 'string',
      format: 'date-time',
      description: 'When.',
    },
    message: {
      type: 'string',
      description: 'Error message.',
    },
    errorCode: {
      type: 'integer',
      format: 'int32',
      description: 'Code of the gRPC error.',
    },
  },
}

export const VolumeAttachmentStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an attachment.',
  properties: {
    attached: {
      type: 'boolean',
      description: 'Whether it is attached.',
      default: false,
    },
    attachmentMetadata: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Metadata from the driver.',
    },
    attachError: {
      ...VolumeError,
      description: 'Why it could not be attached.',
    },
    detachError: {
      ...VolumeError,
      description: 'Why it could not be detached.',
    },
  },
  required: ['attached'],
}

export const VolumeAttachment: StructuralSchema = {
  type: 'object',
  description: 'Asks for a volume to be attached to a node.',
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
      ...VolumeAttachmentSpec,
      description: 'Desired state.',
    },
    status: {
      ...VolumeAttachmentStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const CSIStorageCapacity: StructuralSchema = {
  type: 'object',
  description: 'How much space a driver has for a class of volumes, in a part of the cluster.',
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
    nodeTopology: {
      ...LabelSelector,
      description: 'The nodes that can reach it.',
    },
    storageClassName: {
      type: 'string',
      description: 'The class of volumes.',
    },
    capacity: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'How much there is.',
    },
    maximumVolumeSize: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'How large a volume can be.',
    },
  },
  required: ['storageClassName'],
}

export const TopologySelectorLabelRequirement: StructuralSchema = {
  type: 'object',
  description: 'A condition on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'The label.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values that will do.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'values'],
}

export const TopologySelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Chooses nodes by label.',
  properties: {
    matchLabelExpressions: {
      type: 'array',
      items: TopologySelectorLabelRequirement,
      description: 'All must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const StorageClass: StructuralSchema = {
  type: 'object',
  description: 'A way to make volumes.',
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
    provisioner: {
      type: 'string',
      description: 'Provisioner of the volumes.',
    },
    parameters: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings for the provisioner.',
    },
    reclaimPolicy: {
      type: 'string',
      description: 'Policy for a volume when its claim goes.',
      default: 'Delete',
    },
    mountOptions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Options of the mounts.',
      'x-kubernetes-list-type': 'atomic',
    },
    allowVolumeExpansion: {
      type: 'boolean',
      description: 'Whether claims may grow.',
    },
    volumeBindingMode: {
      type: 'string',
      description: 'Immediate or WaitForFirstConsumer.',
      default: 'Immediate',
    },
    allowedTopologies: {
      type: 'array',
      items: TopologySelectorTerm,
      description: 'Where volumes can be made.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['provisioner'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CSIDriver: CSIDriver,
  CSINode: CSINode,
  CSIStorageCapacity: CSIStorageCapacity,
  StorageClass: StorageClass,
  VolumeAttachment: VolumeAttachment,
}
