// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { SnapshotCondition } from '#api/snapshot/v1beta1/schema.generated.ts'

export const CoreTypedLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of one of several kinds in the same namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const VirtualMachineCloneTemplateFilters: StructuralSchema = {
  type: 'object',
  description: 'Filters of the labels and annotations of the VMI template.',
  properties: {
    annotationFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Filters of the annotations to copy. See the annotationFilters of the clone.',
      'x-kubernetes-list-type': 'atomic',
    },
    labelFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Filters of the labels to copy. See the annotationFilters of the clone.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineCloneSpec: StructuralSchema = {
  type: 'object',
  description: 'Source and target of a clone, and the differences between them.',
  properties: {
    source: {
      ...CoreTypedLocalObjectReference,
      description: 'Source of the clone: a VirtualMachine of kubevirt.io or a VirtualMachineSnapshot of snapshot.kubevirt.io, in the same namespace.',
    },
    target: {
      ...CoreTypedLocalObjectReference,
      description: 'VirtualMachine to create. When absent, its name is generated and reported in status.targetName.',
    },
    annotationFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Filters of the annotations to copy: regular expressions for keys, or `*` for all. Keys that match an expression with a leading `!` are excluded, regardless of the other filters. All annotations are copied when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    labelFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Filters of the labels to copy. See annotationFilters.',
      'x-kubernetes-list-type': 'atomic',
    },
    template: {
      ...VirtualMachineCloneTemplateFilters,
      description: 'Filters of the labels and annotations of the VMI template.',
    },
    newMacAddresses: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'MAC addresses by interface name. The addresses of all other interfaces are generated.',
    },
    newSMBiosSerial: {
      type: 'string',
      description: 'Serial number of the new VM in SMBIOS. Generated when absent.',
    },
    patches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'JSON patches for the new VM. Each item is one operation as JSON text.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeNamePolicy: {
      type: 'string',
      description: 'Policy for the names of cloned volumes: RandomizeNames (default) or PrefixTargetName.',
      enum: ['RandomizeNames', 'PrefixTargetName'],
    },
  },
  required: ['source'],
}

export const VirtualMachineCloneStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a clone.',
  properties: {
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time at which the clone was completed.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the clone: SnapshotInProgress, RestoreInProgress, CreatingTargetVM, Succeeded, Failed or Unknown.',
    },
    conditions: {
      type: 'array',
      items: SnapshotCondition,
      description: 'Conditions of the clone.',
      'x-kubernetes-list-type': 'atomic',
    },
    snapshotName: {
      type: 'string',
      nullable: true,
      description: 'Name of the intermediate VirtualMachineSnapshot.',
    },
    restoreName: {
      type: 'string',
      nullable: true,
      description: 'Name of the intermediate VirtualMachineRestore.',
    },
    targetName: {
      type: 'string',
      nullable: true,
      description: 'Name of the new VM.',
    },
  },
}

export const VirtualMachineClone: StructuralSchema = {
  type: 'object',
  description: 'Request for a copy of a VM.',
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
      type: 'object',
    },
    spec: {
      ...VirtualMachineCloneSpec,
      description: 'Requested operation. Immutable.',
    },
    status: {
      ...VirtualMachineCloneStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  VirtualMachineClone: VirtualMachineClone,
}
