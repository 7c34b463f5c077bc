// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { PersistentVolumeClaim, PodTemplateSpec } from '#api/core/v1/schema.generated.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ControllerRevision: StructuralSchema = {
  type: 'object',
  description: 'A copy of some state at one moment; the data never changes.',
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
    data: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'The copy: any JSON object.',
    },
    revision: {
      type: 'integer',
      format: 'int64',
      description: 'Number of the copy within its series.',
      default: 0,
    },
  },
  required: ['revision'],
}

export const RollingUpdateDaemonSet: StructuralSchema = {
  type: 'object',
  description: 'Settings of RollingUpdate.',
  properties: {
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'How many pods may be missing, as number or percentage.',
      default: 1,
    },
    maxSurge: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'How many nodes may have two pods, as number or percentage.',
      default: 0,
    },
  },
}

export const DaemonSetUpdateStrategy: StructuralSchema = {
  type: 'object',
  description: 'How old pods are replaced by new ones.',
  properties: {
    type: {
      type: 'string',
      description: 'RollingUpdate or OnDelete.',
      default: 'RollingUpdate',
    },
    rollingUpdate: {
      ...RollingUpdateDaemonSet,
      description: 'Settings of RollingUpdate.',
    },
  },
}

export const DaemonSetSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a DaemonSet.',
  properties: {
    selector: {
      ...LabelSelector,
      description: 'The pods that belong to it; never changes.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    updateStrategy: {
      ...DaemonSetUpdateStrategy,
      description: 'How old pods are replaced by new ones.',
      default: {
        type: 'RollingUpdate',
        rollingUpdate: {
          maxUnavailable: 1,
          maxSurge: 0,
        },
      },
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    revisionHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'How many old revisions are kept.',
      default: 10,
    },
  },
  required: ['selector', 'template'],
}

export const DaemonSetCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a DaemonSet.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
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

export const DaemonSetStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a DaemonSet.',
  properties: {
    currentNumberScheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes with a pod that should have one.',
      default: 0,
    },
    numberMisscheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes with a pod that should have none.',
      default: 0,
    },
    desiredNumberScheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes that should have a pod.',
      default: 0,
    },
    numberReady: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes with a ready pod.',
      default: 0,
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    updatedNumberScheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes whose pod looks as wanted.',
    },
    numberAvailable: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes with an available pod.',
    },
    numberUnavailable: {
      type: 'integer',
      format: 'int32',
      description: 'Nodes that lack an available pod.',
    },
    collisionCount: {
      type: 'integer',
      format: 'int32',
      description: 'Counts collisions of the hash that names revisions.',
    },
    conditions: {
      type: 'array',
      items: DaemonSetCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
  required: ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'],
}

export const DaemonSet: StructuralSchema = {
  type: 'object',
  description: 'Keeps one pod on each node.',
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
      ...DaemonSetSpec,
      description: 'Desired state.',
    },
    status: {
      ...DaemonSetStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const RollingUpdateDeployment: StructuralSchema = {
  type: 'object',
  description: 'Settings of RollingUpdate.',
  properties: {
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'How many pods may be missing, as number or percentage.',
      default: '25%',
    },
    maxSurge: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'How many pods may be surplus, as number or percentage.',
      default: '25%',
    },
  },
}

export const DeploymentStrategy: StructuralSchema = {
  type: 'object',
  description: 'How old pods are replaced by new ones.',
  properties: {
    type: {
      type: 'string',
      description: 'Recreate or RollingUpdate.',
      default: 'RollingUpdate',
    },
    rollingUpdate: {
      ...RollingUpdateDeployment,
      description: 'Settings of RollingUpdate.',
    },
  },
}

export const DeploymentSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a deployment.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'How many pods.',
      default: 1,
    },
    selector: {
      ...LabelSelector,
      description: 'The pods that belong to it; never changes.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    strategy: {
      ...DeploymentStrategy,
      description: 'How old pods are replaced by new ones.',
      default: {
        type: 'RollingUpdate',
        rollingUpdate: {
          maxUnavailable: '25%',
          maxSurge: '25%',
        },
      },
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    revisionHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'How many old ReplicaSets are kept.',
      default: 10,
    },
    paused: {
      type: 'boolean',
      description: 'Stops rolling out.',
    },
    progressDeadlineSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds without progress after which the roll-out counts as failed.',
      default: 600,
    },
  },
  required: ['selector', 'template'],
}

export const DeploymentCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a deployment.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Available, Progressing, ReplicaFailure.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastUpdateTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it was last touched.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
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

export const DeploymentStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a deployment.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods.',
    },
    updatedReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that look as wanted.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are ready.',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are available.',
    },
    unavailableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are missing.',
    },
    terminatingReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are going.',
    },
    conditions: {
      type: 'array',
      items: DeploymentCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    collisionCount: {
      type: 'integer',
      format: 'int32',
      description: 'Counts collisions of the hash that names ReplicaSets.',
    },
  },
}

export const Deployment: StructuralSchema = {
  type: 'object',
  description: 'Keeps a number of equal pods running and rolls out changes of them.',
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
      ...DeploymentSpec,
      description: 'Desired state.',
    },
    status: {
      ...DeploymentStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const ReplicaSetSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a ReplicaSet.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'How many pods.',
      default: 1,
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    selector: {
      ...LabelSelector,
      description: 'The pods that belong to it; never changes.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
  },
  required: ['selector'],
}

export const ReplicaSetCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a ReplicaSet.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: ReplicaFailure.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
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

export const ReplicaSetStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a ReplicaSet.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods.',
      default: 0,
    },
    fullyLabeledReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods with all labels of the template.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are ready.',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are available.',
    },
    terminatingReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are going.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    conditions: {
      type: 'array',
      items: ReplicaSetCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
  required: ['replicas'],
}

export const ReplicaSet: StructuralSchema = {
  type: 'object',
  description: 'Keeps a number of equal pods running.',
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
      ...ReplicaSetSpec,
      description: 'Desired state.',
    },
    status: {
      ...ReplicaSetStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const RollingUpdateStatefulSetStrategy: StructuralSchema = {
  type: 'object',
  description: 'Settings of RollingUpdate.',
  properties: {
    partition: {
      type: 'integer',
      format: 'int32',
      description: 'Pods with a lower number are left alone.',
    },
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'How many pods may be missing, as number or percentage.',
    },
  },
}

export const StatefulSetUpdateStrategy: StructuralSchema = {
  type: 'object',
  description: 'How old pods are replaced by new ones.',
  properties: {
    type: {
      type: 'string',
      description: 'RollingUpdate or OnDelete.',
      default: 'RollingUpdate',
    },
    rollingUpdate: {
      ...RollingUpdateStatefulSetStrategy,
      description: 'Settings of RollingUpdate.',
    },
  },
}

export const StatefulSetPersistentVolumeClaimRetentionPolicy: StructuralSchema = {
  type: 'object',
  description: 'Policy for the volumes.',
  properties: {
    whenDeleted: {
      type: 'string',
      description: 'Retain or Delete, when the set is deleted.',
    },
    whenScaled: {
      type: 'string',
      description: 'Retain or Delete, when the set shrinks.',
    },
  },
}

export const StatefulSetOrdinals: StructuralSchema = {
  type: 'object',
  description: 'How the pods are numbered.',
  properties: {
    start: {
      type: 'integer',
      format: 'int32',
      description: 'The first number.',
    },
  },
}

export const StatefulSetSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a StatefulSet.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'How many pods.',
      default: 1,
    },
    selector: {
      ...LabelSelector,
      description: 'The pods that belong to it; never changes.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    volumeClaimTemplates: {
      type: 'array',
      items: PersistentVolumeClaim,
      description: 'Volumes that each pod gets.',
      'x-kubernetes-list-type': 'atomic',
    },
    serviceName: {
      type: 'string',
      description: 'Service that names the pods.',
    },
    podManagementPolicy: {
      type: 'string',
      description: 'OrderedReady or Parallel.',
      default: 'OrderedReady',
    },
    updateStrategy: {
      ...StatefulSetUpdateStrategy,
      description: 'How old pods are replaced by new ones.',
      default: {
        type: 'RollingUpdate',
      },
    },
    revisionHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'How many old revisions are kept.',
      default: 10,
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    persistentVolumeClaimRetentionPolicy: {
      ...StatefulSetPersistentVolumeClaimRetentionPolicy,
      description: 'Policy for the volumes.',
    },
    ordinals: {
      ...StatefulSetOrdinals,
      description: 'How the pods are numbered.',
    },
  },
  required: ['selector', 'template'],
}

export const StatefulSetCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a StatefulSet.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
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

export const StatefulSetStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a StatefulSet.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods.',
      default: 0,
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are ready.',
    },
    currentReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods of the current revision.',
    },
    updatedReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods of the update\'s revision.',
    },
    currentRevision: {
      type: 'string',
      description: 'Name of the current revision.',
    },
    updateRevision: {
      type: 'string',
      description: 'Name of the update\'s revision.',
    },
    collisionCount: {
      type: 'integer',
      format: 'int32',
      description: 'Counts collisions of the hash that names revisions.',
    },
    conditions: {
      type: 'array',
      items: StatefulSetCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are available.',
    },
  },
  required: ['replicas'],
}

export const StatefulSet: StructuralSchema = {
  type: 'object',
  description: 'Pods with names and volumes of their own.',
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
      ...StatefulSetSpec,
      description: 'Desired state.',
    },
    status: {
      ...StatefulSetStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  ControllerRevision: ControllerRevision,
  DaemonSet: DaemonSet,
  Deployment: Deployment,
  ReplicaSet: ReplicaSet,
  StatefulSet: StatefulSet,
}
