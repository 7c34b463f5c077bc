// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { SnapshotCondition } from '#api/snapshot/v1beta1/schema.generated.ts'

export const CoreTypedLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of one of several kinds in the same namespace.',
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
  description: 'Which labels and annotations of the guest\'s template are taken along.',
  properties: {
    annotationFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Which annotations. See the annotationFilters of the clone.',
      'x-kubernetes-list-type': 'atomic',
    },
    labelFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Which labels. See the annotationFilters of the clone.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineCloneSpec: StructuralSchema = {
  type: 'object',
  description: 'Like what, under which name, and what is to be different.',
  properties: {
    source: {
      ...CoreTypedLocalObjectReference,
      description: 'A VirtualMachine of kubevirt.io or a VirtualMachineSnapshot of snapshot.kubevirt.io, in the same namespace.',
    },
    target: {
      ...CoreTypedLocalObjectReference,
      description: 'The new VirtualMachine. Gets a name of its own when absent; status.targetName tells.',
    },
    annotationFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Which annotations are taken along: regular expressions of keys, `*` for all, and with `!` in front those that are not, whatever else matches. All when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    labelFilters: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Which labels are taken along. See annotationFilters.',
      'x-kubernetes-list-type': 'atomic',
    },
    template: {
      ...VirtualMachineCloneTemplateFilters,
      description: 'The same for the guest\'s template.',
    },
    newMacAddresses: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'MAC addresses by the name of the interface. All others are made anew.',
    },
    newSMBiosSerial: {
      type: 'string',
      description: 'Serial number of the machine. Made anew when absent.',
    },
    patches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'JSON patches of the new machine, each an operation as text.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeNamePolicy: {
      type: 'string',
      description: 'Names of cloned volumes: RandomizeNames or PrefixTargetName. Accepted; no disks are cloned yet.',
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
      description: 'When it was done.',
    },
    phase: {
      type: 'string',
      description: 'How far it is: SnapshotInProgress, RestoreInProgress, CreatingTargetVM, Succeeded, Failed or Unknown.',
    },
    conditions: {
      type: 'array',
      items: SnapshotCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'atomic',
    },
    snapshotName: {
      type: 'string',
      nullable: true,
      description: 'The snapshot in between.',
    },
    restoreName: {
      type: 'string',
      nullable: true,
      description: 'The restore in between.',
    },
    targetName: {
      type: 'string',
      nullable: true,
      description: 'Name of the new machine.',
    },
  },
}

export const VirtualMachineClone: StructuralSchema = {
  type: 'object',
  description: 'Asks for a machine like another one.',
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
