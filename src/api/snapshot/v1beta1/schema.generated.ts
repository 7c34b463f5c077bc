// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { VirtualMachineSpec, VirtualMachineStatus } from '#api/kubevirt/v1/schema.generated.ts'

export const SnapshotCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a snapshot, a restore or a clone.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Ready, Progressing or Failure.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last change of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const SnapshotError: StructuralSchema = {
  type: 'object',
  description: 'Last error of a snapshot.',
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
  },
}

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

export const VolumeRestoreOverride: StructuralSchema = {
  type: 'object',
  description: 'Settings for the restore of one volume.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume in the VM.',
    },
    restoreName: {
      type: 'string',
      description: 'Name of the restored PersistentVolumeClaim.',
    },
    labels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the restored PersistentVolumeClaim.',
    },
    annotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Annotations of the restored PersistentVolumeClaim.',
    },
  },
}

export const VirtualMachineRestoreSpec: StructuralSchema = {
  type: 'object',
  description: 'VM to restore, source snapshot and settings of a restore.',
  properties: {
    target: {
      ...CoreTypedLocalObjectReference,
      description: 'VM to restore, in the same namespace: the source of the snapshot, or a VM that does not exist yet.',
    },
    virtualMachineSnapshotName: {
      type: 'string',
      description: 'Name of the VirtualMachineSnapshot, in the same namespace.',
    },
    targetReadinessPolicy: {
      type: 'string',
      description: 'Policy for a target VM that is running: StopTarget, WaitGracePeriod, FailImmediate or WaitEventually.',
      default: 'WaitGracePeriod',
      enum: ['StopTarget', 'WaitGracePeriod', 'FailImmediate', 'WaitEventually'],
    },
    volumeRestorePolicy: {
      type: 'string',
      description: 'Policy for the names of restored volumes: RandomizeNames (default), InPlace or PrefixTargetName. InPlace deletes the volumes that have the names.',
    },
    volumeOwnershipPolicy: {
      type: 'string',
      description: 'Owner of restored volumes: Vm (default) or None. Volumes of DataVolume templates always belong to the VM.',
    },
    volumeRestoreOverrides: {
      type: 'array',
      items: VolumeRestoreOverride,
      description: 'Settings of individual volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    patches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'JSON patches for the VM. Each item is one operation as JSON text. Only for a VM that does not exist yet.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['target', 'virtualMachineSnapshotName'],
}

export const VolumeRestore: StructuralSchema = {
  type: 'object',
  description: 'Restored volume.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume in the VM.',
    },
    persistentVolumeClaim: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim.',
    },
    volumeSnapshotName: {
      type: 'string',
      description: 'Name of the VolumeSnapshot with the data, or of the claim with a copy of it.',
    },
    dataVolumeName: {
      type: 'string',
      description: 'Name of the DataVolume of the PersistentVolumeClaim.',
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
      description: 'Restored volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    restoreTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the restore was completed.',
    },
    deletedDataVolumes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'DataVolumes that the restored VM no longer uses.',
      'x-kubernetes-list-type': 'set',
    },
    complete: {
      type: 'boolean',
      description: 'True if the restore is complete.',
    },
    conditions: {
      type: 'array',
      items: SnapshotCondition,
      description: 'Conditions of the restore.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineRestore: StructuralSchema = {
  type: 'object',
  description: 'Request to restore a VM from a snapshot.',
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
  description: 'VM at the time of the snapshot. The revisions named in its matchers are owned by the snapshot.',
  properties: {
    metadata: {
      type: 'object',
      description: 'Name, labels and annotations of the VM.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...VirtualMachineSpec,
      description: 'Spec of the VM.',
    },
    status: {
      ...VirtualMachineStatus,
      description: 'Empty. The status of the VM at the time of the snapshot is not kept.',
    },
  },
}

export const SnapshotSourceSpec: StructuralSchema = {
  type: 'object',
  description: 'Source object at the time of the snapshot.',
  properties: {
    virtualMachine: {
      ...SnapshotVirtualMachine,
      description: 'VM at the time of the snapshot.',
    },
  },
}

export const MetaLabelSelectorRequirement: StructuralSchema = {
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

export const MetaLabelSelector: StructuralSchema = {
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
      items: MetaLabelSelectorRequirement,
      description: 'Requirements on labels. All requirements must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CoreVolumeResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Amount of storage.',
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
      description: 'Maximum amount of storage.',
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
      description: 'Minimum amount of storage.',
    },
  },
}

export const CoreTypedObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of one of several kinds, possibly in another namespace.',
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
      description: 'Namespace of the object, if the object is in another namespace.',
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
      description: 'Requested access modes: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      'x-kubernetes-list-type': 'atomic',
    },
    selector: {
      ...MetaLabelSelector,
      description: 'Label selector for the volumes that the claim can be bound to.',
    },
    resources: {
      ...CoreVolumeResourceRequirements,
      description: 'Requested amount of storage.',
    },
    volumeName: {
      type: 'string',
      description: 'Name of the volume that the claim is bound to.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    volumeMode: {
      type: 'string',
      description: 'Volume mode: Filesystem or Block.',
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
      description: 'Name of the volume attributes class.',
    },
  },
}

export const SnapshotPersistentVolumeClaim: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim at the time of the snapshot.',
  properties: {
    metadata: {
      type: 'object',
      description: 'Name, labels and annotations of the PersistentVolumeClaim.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...CorePersistentVolumeClaimSpec,
      description: 'Spec of the PersistentVolumeClaim.',
    },
  },
}

export const SteadyVolumeBackup: StructuralSchema = {
  type: 'object',
  description: 'Backup of a volume whose storage class cannot take snapshots.',
  properties: {
    copyClaimName: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim with a copy of the data. It is owned by this content.',
    },
  },
  required: ['copyClaimName'],
}

export const VolumeBackup: StructuralSchema = {
  type: 'object',
  description: 'Backup of a volume.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume in the VM.',
    },
    persistentVolumeClaim: {
      ...SnapshotPersistentVolumeClaim,
      description: 'PersistentVolumeClaim at the time of the snapshot.',
    },
    volumeSnapshotName: {
      type: 'string',
      description: 'Name of the VolumeSnapshot with the data. Absent when a copy has it.',
    },
    steadyvm: {
      ...SteadyVolumeBackup,
      description: 'Backup that steadyvm adds to those of KubeVirt.',
    },
  },
  required: ['volumeName', 'persistentVolumeClaim'],
}

export const VirtualMachineSnapshotContentSpec: StructuralSchema = {
  type: 'object',
  description: 'Source and volume backups of a snapshot, and the name of the snapshot.',
  properties: {
    virtualMachineSnapshotName: {
      type: 'string',
      description: 'Name of the VirtualMachineSnapshot.',
    },
    source: {
      ...SnapshotSourceSpec,
      description: 'Source object at the time of the snapshot.',
    },
    volumeBackups: {
      type: 'array',
      items: VolumeBackup,
      description: 'Backups of the volumes of the VM.',
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
      description: 'Name of the VolumeSnapshot.',
    },
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time at which the VolumeSnapshot was taken.',
    },
    readyToUse: {
      type: 'boolean',
      description: 'True if volumes can be created from the VolumeSnapshot.',
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
  description: 'State of the content of a snapshot.',
  properties: {
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time at which the state of the VM was captured.',
    },
    readyToUse: {
      type: 'boolean',
      description: 'True if the content can be restored.',
    },
    error: {
      ...SnapshotError,
      description: 'Last error.',
    },
    volumeSnapshotStatus: {
      type: 'array',
      items: VolumeSnapshotState,
      description: 'States of the snapshots of volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    snapshotMode: {
      type: 'string',
      description: 'Method for the handling of writes of a running guest.',
    },
  },
}

export const VirtualMachineSnapshotContent: StructuralSchema = {
  type: 'object',
  description: 'Content of a VirtualMachineSnapshot.',
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
      ...VirtualMachineSnapshotContentSpec,
      description: 'Content of the snapshot.',
    },
    status: {
      ...VirtualMachineSnapshotContentStatus,
      description: 'State of the content, and of the snapshots of its volumes.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineSnapshotSpec: StructuralSchema = {
  type: 'object',
  description: 'Source and settings of a snapshot.',
  properties: {
    source: {
      ...CoreTypedLocalObjectReference,
      description: 'VM to capture, in the same namespace.',
    },
    deletionPolicy: {
      type: 'string',
      description: 'Policy for the content when the snapshot is deleted: Delete or Retain; Delete when absent.',
    },
    failureDeadline: {
      type: 'string',
      description: 'Timeout of the snapshot, after which the snapshot fails. 5 minutes when absent; 0 means no timeout.',
    },
    snapshotMode: {
      type: 'string',
      description: 'Method for the handling of writes of a running guest: Direct or External. Not acted on: copies need no overlays.',
    },
    overlayScratchSize: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Scratch space for the writes of a running guest. Not acted on: copies need none.',
    },
  },
  required: ['source'],
}

export const SourceIndication: StructuralSchema = {
  type: 'object',
  description: 'Circumstance of the VM at the time of the snapshot, with a human-readable explanation.',
  properties: {
    indication: {
      type: 'string',
      description: 'Indication as one word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the indication.',
    },
  },
  required: ['indication', 'message'],
}

export const SnapshotVolumesLists: StructuralSchema = {
  type: 'object',
  description: 'Volumes of a VM that are included in a snapshot, and volumes that are not.',
  properties: {
    includedVolumes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the volumes that are included.',
      'x-kubernetes-list-type': 'set',
    },
    excludedVolumes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the volumes that are not included.',
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
      description: 'UID of the source VM.',
    },
    virtualMachineSnapshotContentName: {
      type: 'string',
      description: 'Name of the VirtualMachineSnapshotContent with the captured state.',
    },
    creationTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time at which the state of the VM was captured.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the snapshot: InProgress, Succeeded, Failed, Deleting or Unknown.',
    },
    readyToUse: {
      type: 'boolean',
      description: 'True if the snapshot can be restored.',
    },
    error: {
      ...SnapshotError,
      description: 'Last error.',
    },
    conditions: {
      type: 'array',
      items: SnapshotCondition,
      description: 'Conditions of the snapshot.',
      'x-kubernetes-list-type': 'atomic',
    },
    indications: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Indications about the VM. Deprecated: see sourceIndications.',
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
      description: 'Volumes that are included in the snapshot, and volumes that are not.',
    },
  },
}

export const VirtualMachineSnapshot: StructuralSchema = {
  type: 'object',
  description: 'Request to capture the state of a VM at one point in time.',
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
