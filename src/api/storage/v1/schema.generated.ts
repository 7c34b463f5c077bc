// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const CSITokenRequest: StructuralSchema = {
  type: 'object',
  description: 'Token for a CSI driver.',
  properties: {
    audience: {
      type: 'string',
      description: 'Audience of the token.',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Lifetime of the token in seconds.',
    },
  },
  required: ['audience'],
}

export const CSIDriverSpec: StructuralSchema = {
  type: 'object',
  description: 'Capabilities of a driver.',
  properties: {
    attachRequired: {
      type: 'boolean',
      description: 'True if volumes must be attached to a node before they are mounted.',
    },
    podInfoOnMount: {
      type: 'boolean',
      description: 'True if the driver requires information about the pod.',
    },
    volumeLifecycleModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Supported lifecycle modes of volumes: Persistent, Ephemeral.',
      'x-kubernetes-list-type': 'set',
    },
    storageCapacity: {
      type: 'boolean',
      description: 'True if the driver reports the available storage capacity.',
    },
    fsGroupPolicy: {
      type: 'string',
      description: 'Policy for changing the group of the files.',
    },
    tokenRequests: {
      type: 'array',
      items: CSITokenRequest,
      description: 'Tokens that are passed to the driver.',
      'x-kubernetes-list-type': 'atomic',
    },
    requiresRepublish: {
      type: 'boolean',
      description: 'True if the driver is called again to refresh mounted volumes.',
    },
    seLinuxMount: {
      type: 'boolean',
      description: 'True if the driver mounts volumes with SELinux labels.',
    },
    nodeAllocatableUpdatePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between two updates of the maximum number of volumes of a node.',
    },
  },
}

export const CSIDriver: StructuralSchema = {
  type: 'object',
  description: 'Capabilities of a CSI driver.',
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
      ...CSIDriverSpec,
      description: 'Capabilities of the driver.',
    },
  },
  required: ['spec'],
}

export const VolumeNodeResources: StructuralSchema = {
  type: 'object',
  description: 'Limit on the volumes of a driver on a node.',
  properties: {
    count: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of volumes.',
    },
  },
}

export const CSINodeDriver: StructuralSchema = {
  type: 'object',
  description: 'CSI driver on a node.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the driver.',
    },
    nodeID: {
      type: 'string',
      description: 'ID that the driver uses for the node.',
    },
    topologyKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of the topology labels that the driver supports.',
      'x-kubernetes-list-type': 'atomic',
    },
    allocatable: {
      ...VolumeNodeResources,
      description: 'Limit on the volumes of the driver on the node.',
    },
  },
  required: ['name', 'nodeID'],
}

export const CSINodeSpec: StructuralSchema = {
  type: 'object',
  description: 'CSI drivers of a node.',
  properties: {
    drivers: {
      type: 'array',
      items: CSINodeDriver,
      description: 'CSI drivers of the node.',
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
  description: 'CSI drivers of a node.',
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
      ...CSINodeSpec,
      description: 'CSI drivers of the node.',
    },
  },
  required: ['spec'],
}

export const VolumeAttachmentSource: StructuralSchema = {
  type: 'object',
  description: 'Volume to attach.',
  properties: {
    persistentVolumeName: {
      type: 'string',
      description: 'Name of the PersistentVolume.',
    },
    inlineVolumeSpec: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Spec of the volume, if the volume is part of a pod.',
    },
  },
}

export const VolumeAttachmentSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an attachment.',
  properties: {
    attacher: {
      type: 'string',
      description: 'Name of the CSI driver that attaches the volume.',
    },
    source: {
      ...VolumeAttachmentSource,
      description: 'Volume to attach.',
    },
    nodeName: {
      type: 'string',
      description: 'Name of the node.',
    },
  },
  required: ['attacher', 'source', 'nodeName'],
}

export const VolumeError: StructuralSchema = {
  type: 'object',
  description: 'Error of a driver.',
  properties: {
    time: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the error.',
    },
    message: {
      type: 'string',
      description: 'Error message.',
    },
    errorCode: {
      type: 'integer',
      format: 'int32',
      description: 'gRPC code of the error.',
    },
  },
}

export const VolumeAttachmentStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an attachment.',
  properties: {
    attached: {
      type: 'boolean',
      description: 'True if the volume is attached.',
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
      description: 'Error of the attach operation.',
    },
    detachError: {
      ...VolumeError,
      description: 'Error of the detach operation.',
    },
  },
  required: ['attached'],
}

export const VolumeAttachment: StructuralSchema = {
  type: 'object',
  description: 'Request to attach a volume to a node.',
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
      ...VolumeAttachmentSpec,
      description: 'Desired state of the VolumeAttachment.',
    },
    status: {
      ...VolumeAttachmentStatus,
      description: 'Observed state of the VolumeAttachment.',
    },
  },
  required: ['spec'],
}

export const CSIStorageCapacity: StructuralSchema = {
  type: 'object',
  description: 'Available capacity of a driver for a storage class in a part of the cluster.',
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
    nodeTopology: {
      ...LabelSelector,
      description: 'Label selector for the nodes that can access the storage.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    capacity: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Available capacity.',
    },
    maximumVolumeSize: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Maximum size of a volume.',
    },
  },
  required: ['storageClassName'],
}

export const TopologySelectorLabelRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values of the label that match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'values'],
}

export const TopologySelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Selector of nodes by label.',
  properties: {
    matchLabelExpressions: {
      type: 'array',
      items: TopologySelectorLabelRequirement,
      description: 'Requirements on labels. All requirements must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const StorageClass: StructuralSchema = {
  type: 'object',
  description: 'Class of storage, with the provisioner and parameters for creating volumes.',
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
    provisioner: {
      type: 'string',
      description: 'Provisioner of the volumes.',
    },
    parameters: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Parameters for the provisioner.',
    },
    reclaimPolicy: {
      type: 'string',
      description: 'Policy for a volume when its claim is deleted.',
      default: 'Delete',
    },
    mountOptions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Mount options of the volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    allowVolumeExpansion: {
      type: 'boolean',
      description: 'True if claims may be expanded.',
    },
    volumeBindingMode: {
      type: 'string',
      description: 'Volume binding mode: Immediate or WaitForFirstConsumer.',
      default: 'Immediate',
    },
    allowedTopologies: {
      type: 'array',
      items: TopologySelectorTerm,
      description: 'Topologies in which volumes can be created.',
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
