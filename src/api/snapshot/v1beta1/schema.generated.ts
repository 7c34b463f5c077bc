// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { VirtualMachineSpec, VirtualMachineStatus } from '#api/kubevirt/v1/schema.generated.ts'

export const SnapshotCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a snapshot, a restore or a clone.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Ready, Progressing or Failure.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const SnapshotError: StructuralSchema = {
  type: 'object',
  description: 'Last error.',
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
  },
}

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

export const VolumeRestoreOverride: StructuralSchema = {
  type: 'object',
  description: 'Settings of a volume that is restored.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume in the machine.',
    },
    restoreName: {
      type: 'string',
      description: 'Name of the restored claim.',
    },
    labels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the restored claim.',
    },
    annotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Annotations of the restored claim.',
    },
  },
}

export const VirtualMachineRestoreSpec: StructuralSchema = {
  type: 'object',
  description: 'Which machine, from which snapshot, and how.',
  properties: {
    target: {
      ...CoreTypedLocalObjectReference,
      description: 'The machine, in the same namespace: the one that the snapshot was taken of, or one that does not exist yet.',
    },
    virtualMachineSnapshotName: {
      type: 'string',
      description: 'The snapshot, in the same namespace.',
    },
    targetReadinessPolicy: {
      type: 'string',
      description: 'Action when the machine runs: StopTarget, WaitGracePeriod, FailImmediate or WaitEventually.',
      default: 'WaitGracePeriod',
      enum: ['StopTarget', 'WaitGracePeriod', 'FailImmediate', 'WaitEventually'],
    },
    volumeRestorePolicy: {
      type: 'string',
      description: 'Names of restored volumes: RandomizeNames, InPlace or PrefixTargetName. Accepted; no disks are restored yet.',
    },
    volumeOwnershipPolicy: {
      type: 'string',
      description: 'Whom restored volumes belong to: Vm or None. Accepted; no disks are restored yet.',
    },
    volumeRestoreOverrides: {
      type: 'array',
      items: VolumeRestoreOverride,
      description: 'Settings of single volumes. Accepted; no disks are restored yet.',
      'x-kubernetes-list-type': 'atomic',
    },
    patches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'JSON patches of the machine, each an operation as text. Only for one that does not exist yet.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['target', 'virtualMachineSnapshotName'],
}

export const VolumeRestore: StructuralSchema = {
  type: 'object',
  description: 'A volume that was restored.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume in the machine.',
    },
    persistentVolumeClaim: {
      type: 'string',
      description: 'The claim.',
    },
    volumeSnapshotName: {
      type: 'string',
      description: 'Snapshot that its data come from.',
    },
    dataVolumeName: {
      type: 'string',
      description: 'DataVolume that goes with it.',
    },
  },
  required: ['volumeName', 'persistentVolumeClaim', 'volumeSnapshotName'],
}

export const VirtualMachineRestoreStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a restore.',
  properties: {
    restores: {
      type: 'array',
      items: VolumeRestore,
      description: 'Its volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    restoreTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it was done.',
    },
    deletedDataVolumes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'DataVolumes that had no place in the machine any more.',
      'x-kubernetes-list-type': 'set',
    },
    complete: {
      type: 'boolean',
      description: 'Whether it is over.',
    },
    conditions: {
      type: 'array',
      items: SnapshotCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineRestore: StructuralSchema = {
  type: 'object',
  description: 'Asks that a machine become what a snapshot holds.',
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
      ...VirtualMachineRestoreSpec,
      description: 'Requested operation. Immutable.',
    },
    status: {
      ...VirtualMachineRestoreStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const SnapshotVirtualMachine: StructuralSchema = {
  type: 'object',
  description: 'A machine as it was. The revisions that its matchers name belong to the snapshot.',
  properties: {
    metadata: {
      type: 'object',
      description: 'Name, labels and annotations.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...VirtualMachineSpec,
      description: 'Its spec.',
    },
    status: {
      ...VirtualMachineStatus,
      description: 'Empty: what was known of it holds for that moment only.',
    },
  },
}

export const SnapshotSourceSpec: StructuralSchema = {
  type: 'object',
  description: 'The object that a snapshot was taken of, as it was.',
  properties: {
    virtualMachine: {
      ...SnapshotVirtualMachine,
      description: 'A machine.',
    },
  },
}

export const MetaLabelSelectorRequirement: StructuralSchema = {
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

export const MetaLabelSelector: StructuralSchema = {
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
      items: MetaLabelSelectorRequirement,
      description: 'Conditions on labels, all of which must hold.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CoreVolumeResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'How much storage.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Most.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Least.',
    },
  },
}

export const CoreTypedObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of one of several kinds, possibly in another namespace.',
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
    namespace: {
      type: 'string',
      description: 'Namespace of the object, when it is another one.',
    },
  },
  required: ['kind', 'name'],
}

export const CorePersistentVolumeClaimSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested storage.',
  properties: {
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How it will be used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      'x-kubernetes-list-type': 'atomic',
    },
    selector: {
      ...MetaLabelSelector,
      description: 'Which volumes will do.',
    },
    resources: {
      ...CoreVolumeResourceRequirements,
      description: 'How much.',
    },
    volumeName: {
      type: 'string',
      description: 'The volume that the claim is bound to.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    volumeMode: {
      type: 'string',
      description: 'Filesystem or Block.',
    },
    dataSource: {
      ...CoreTypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...CoreTypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the attributes class.',
    },
  },
}

export const SnapshotPersistentVolumeClaim: StructuralSchema = {
  type: 'object',
  description: 'A claim as it was.',
  properties: {
    metadata: {
      type: 'object',
      description: 'Name, labels and annotations.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...CorePersistentVolumeClaimSpec,
      description: 'Its spec.',
    },
  },
}

export const VolumeBackup: StructuralSchema = {
  type: 'object',
  description: 'Backup of a volume.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume in the machine.',
    },
    persistentVolumeClaim: {
      ...SnapshotPersistentVolumeClaim,
      description: 'The claim as it was.',
    },
    volumeSnapshotName: {
      type: 'string',
      description: 'Snapshot with its data.',
    },
  },
  required: ['volumeName', 'persistentVolumeClaim'],
}

export const VirtualMachineSnapshotContentSpec: StructuralSchema = {
  type: 'object',
  description: 'Source, content and snapshot.',
  properties: {
    virtualMachineSnapshotName: {
      type: 'string',
      description: 'Name of the snapshot.',
    },
    source: {
      ...SnapshotSourceSpec,
      description: 'The object as it was.',
    },
    volumeBackups: {
      type: 'array',
      items: VolumeBackup,
      description: 'Backups of its volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['source'],
}

export const VolumeSnapshotState: StructuralSchema = {
  type: 'object',
  description: 'State of the snapshot of a volume.',
  properties: {
    volumeSnapshotName: {
      type: 'string',
      description: 'Name of the snapshot.',
    },
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'The moment.',
    },
    readyToUse: {
      type: 'boolean',
      description: 'Whether volumes can be made from it.',
    },
    error: {
      ...SnapshotError,
      description: 'Last error.',
    },
  },
  required: ['volumeSnapshotName'],
}

export const VirtualMachineSnapshotContentStatus: StructuralSchema = {
  type: 'object',
  description: 'Whether all that a snapshot has taken is there.',
  properties: {
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the machine was like this.',
    },
    readyToUse: {
      type: 'boolean',
      description: 'Whether it can be restored.',
    },
    error: {
      ...SnapshotError,
      description: 'Last error.',
    },
    volumeSnapshotStatus: {
      type: 'array',
      items: VolumeSnapshotState,
      description: 'State of the snapshots of volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    snapshotMode: {
      type: 'string',
      description: 'How the writes of a running guest were held back.',
    },
  },
}

export const VirtualMachineSnapshotContent: StructuralSchema = {
  type: 'object',
  description: 'Content of a snapshot.',
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
      ...VirtualMachineSnapshotContentSpec,
      description: 'Content of the snapshot.',
    },
    status: {
      ...VirtualMachineSnapshotContentStatus,
      description: 'Whether all of it is there.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineSnapshotSpec: StructuralSchema = {
  type: 'object',
  description: 'Of which machine, and how.',
  properties: {
    source: {
      ...CoreTypedLocalObjectReference,
      description: 'The machine, in the same namespace.',
    },
    deletionPolicy: {
      type: 'string',
      description: 'Policy for the content when the snapshot is deleted: Delete or Retain; Delete when absent.',
    },
    failureDeadline: {
      type: 'string',
      description: 'How long taking it may last before it has failed. 5 minutes when absent; 0 is for ever.',
    },
    snapshotMode: {
      type: 'string',
      description: 'How the writes of a running guest are held back: Direct or External. Accepted; no disks are taken yet.',
    },
    overlayScratchSize: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Space for the writes of a running guest. Accepted; no disks are taken yet.',
    },
  },
  required: ['source'],
}

export const SourceIndication: StructuralSchema = {
  type: 'object',
  description: 'Something that is to be known of the machine when the snapshot was taken, with a sentence for people.',
  properties: {
    indication: {
      type: 'string',
      description: 'In one word.',
    },
    message: {
      type: 'string',
      description: 'In a sentence.',
    },
  },
  required: ['indication', 'message'],
}

export const SnapshotVolumesLists: StructuralSchema = {
  type: 'object',
  description: 'Which volumes of a machine are in a snapshot.',
  properties: {
    includedVolumes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'These are.',
      'x-kubernetes-list-type': 'set',
    },
    excludedVolumes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'These are not.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const VirtualMachineSnapshotStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a snapshot.',
  properties: {
    sourceUID: {
      type: 'string',
      description: 'UID of the machine.',
    },
    virtualMachineSnapshotContentName: {
      type: 'string',
      description: 'Object that holds what was taken.',
    },
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the machine was as it is in the snapshot.',
    },
    phase: {
      type: 'string',
      description: 'How far it is: InProgress, Succeeded, Failed, Deleting or Unknown.',
    },
    readyToUse: {
      type: 'boolean',
      description: 'Whether it can be restored.',
    },
    error: {
      ...SnapshotError,
      description: 'Last error.',
    },
    conditions: {
      type: 'array',
      items: SnapshotCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'atomic',
    },
    indications: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Deprecated: see sourceIndications.',
      'x-kubernetes-list-type': 'set',
    },
    sourceIndications: {
      type: 'array',
      items: SourceIndication,
      description: 'Indications about the VM at the time of the snapshot.',
      'x-kubernetes-list-type': 'atomic',
    },
    snapshotVolumes: {
      ...SnapshotVolumesLists,
      description: 'Which volumes are in it.',
    },
  },
}

export const VirtualMachineSnapshot: StructuralSchema = {
  type: 'object',
  description: 'Asks that a machine be kept as it is at one moment.',
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
      ...VirtualMachineSnapshotSpec,
      description: 'Requested operation. Immutable.',
    },
    status: {
      ...VirtualMachineSnapshotStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  VirtualMachineRestore: VirtualMachineRestore,
  VirtualMachineSnapshot: VirtualMachineSnapshot,
  VirtualMachineSnapshotContent: VirtualMachineSnapshotContent,
}
