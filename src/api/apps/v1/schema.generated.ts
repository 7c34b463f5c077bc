// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { PersistentVolumeClaim, PodTemplateSpec } from '#api/core/v1/schema.generated.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ControllerRevision: StructuralSchema = {
  type: 'object',
  description: 'Copy of some state at one point in time. The data is immutable.',
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
    data: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'State, as any JSON object.',
    },
    revision: {
      type: 'integer',
      format: 'int64',
      description: 'Revision number within the series of copies.',
      default: 0,
    },
  },
  required: ['revision'],
}

export const RollingUpdateDaemonSet: StructuralSchema = {
  type: 'object',
  description: 'Settings of the RollingUpdate strategy.',
  properties: {
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Maximum number of unavailable pods, as number or percentage.',
      default: 1,
    },
    maxSurge: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Maximum number of nodes with two pods, as number or percentage.',
      default: 0,
    },
  },
}

export const DaemonSetUpdateStrategy: StructuralSchema = {
  type: 'object',
  description: 'Strategy for replacing old pods with new pods.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the strategy: RollingUpdate or OnDelete.',
      default: 'RollingUpdate',
    },
    rollingUpdate: {
      ...RollingUpdateDaemonSet,
      description: 'Settings of the RollingUpdate strategy.',
    },
  },
}

export const DaemonSetSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a DaemonSet.',
  properties: {
    selector: {
      ...LabelSelector,
      description: 'Label selector for the pods of the DaemonSet; immutable.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    updateStrategy: {
      ...DaemonSetUpdateStrategy,
      description: 'Strategy for replacing old pods with new pods.',
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
      description: 'Number of old revisions to keep.',
      default: 10,
    },
  },
  required: ['selector', 'template'],
}

export const DaemonSetCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a DaemonSet.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
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
      description: 'Number of nodes with a pod, among the nodes that should have a pod.',
      default: 0,
    },
    numberMisscheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Number of nodes with a pod, among the nodes that should have no pod.',
      default: 0,
    },
    desiredNumberScheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Number of nodes that should have a pod.',
      default: 0,
    },
    numberReady: {
      type: 'integer',
      format: 'int32',
      description: 'Number of nodes with a ready pod.',
      default: 0,
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    updatedNumberScheduled: {
      type: 'integer',
      format: 'int32',
      description: 'Number of nodes with a pod of the current template.',
    },
    numberAvailable: {
      type: 'integer',
      format: 'int32',
      description: 'Number of nodes with an available pod.',
    },
    numberUnavailable: {
      type: 'integer',
      format: 'int32',
      description: 'Number of nodes without an available pod, among the nodes that should have a pod.',
    },
    collisionCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of collisions of the hash in the names of revisions.',
    },
    conditions: {
      type: 'array',
      items: DaemonSetCondition,
      description: 'Conditions of the DaemonSet.',
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
  description: 'Maintains one pod on each node.',
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
      ...DaemonSetSpec,
      description: 'Desired state of the DaemonSet.',
    },
    status: {
      ...DaemonSetStatus,
      description: 'Observed state of the DaemonSet.',
    },
  },
  required: ['spec'],
}

export const RollingUpdateDeployment: StructuralSchema = {
  type: 'object',
  description: 'Settings of the RollingUpdate strategy.',
  properties: {
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Maximum number of unavailable pods, as number or percentage.',
      default: '25%',
    },
    maxSurge: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Maximum number of pods above the desired number, as number or percentage.',
      default: '25%',
    },
  },
}

export const DeploymentStrategy: StructuralSchema = {
  type: 'object',
  description: 'Strategy for replacing old pods with new pods.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the strategy: Recreate or RollingUpdate.',
      default: 'RollingUpdate',
    },
    rollingUpdate: {
      ...RollingUpdateDeployment,
      description: 'Settings of the RollingUpdate strategy.',
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
      description: 'Desired number of pods.',
      default: 1,
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the pods of the Deployment; immutable.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    strategy: {
      ...DeploymentStrategy,
      description: 'Strategy for replacing old pods with new pods.',
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
      description: 'Number of old ReplicaSets to keep.',
      default: 10,
    },
    paused: {
      type: 'boolean',
      description: 'True if roll-outs are paused.',
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
  description: 'Condition of a deployment.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Available, Progressing, ReplicaFailure.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastUpdateTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last update of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
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
      description: 'Generation of the spec that the status describes.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods.',
    },
    updatedReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods of the current template.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of ready pods.',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of available pods.',
    },
    unavailableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods that are not available or not created yet.',
    },
    terminatingReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of terminating pods.',
    },
    conditions: {
      type: 'array',
      items: DeploymentCondition,
      description: 'Conditions of the Deployment.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    collisionCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of collisions of the hash in the names of ReplicaSets.',
    },
  },
}

export const Deployment: StructuralSchema = {
  type: 'object',
  description: 'Maintains a number of identical pods and rolls out changes of the pods.',
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
      ...DeploymentSpec,
      description: 'Desired state of the Deployment.',
    },
    status: {
      ...DeploymentStatus,
      description: 'Observed state of the Deployment.',
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
      description: 'Desired number of pods.',
      default: 1,
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the pods of the ReplicaSet; immutable.',
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
  description: 'Condition of a ReplicaSet.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: ReplicaFailure.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
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
      description: 'Number of pods.',
      default: 0,
    },
    fullyLabeledReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods with all labels of the template.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of ready pods.',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of available pods.',
    },
    terminatingReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of terminating pods.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    conditions: {
      type: 'array',
      items: ReplicaSetCondition,
      description: 'Conditions of the ReplicaSet.',
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
  description: 'Maintains a number of identical pods.',
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
      ...ReplicaSetSpec,
      description: 'Desired state of the ReplicaSet.',
    },
    status: {
      ...ReplicaSetStatus,
      description: 'Observed state of the ReplicaSet.',
    },
  },
  required: ['spec'],
}

export const RollingUpdateStatefulSetStrategy: StructuralSchema = {
  type: 'object',
  description: 'Settings of the RollingUpdate strategy.',
  properties: {
    partition: {
      type: 'integer',
      format: 'int32',
      description: 'Ordinal at which the update begins. Pods with a lower ordinal are not updated.',
    },
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Maximum number of unavailable pods, as number or percentage.',
    },
  },
}

export const StatefulSetUpdateStrategy: StructuralSchema = {
  type: 'object',
  description: 'Strategy for replacing old pods with new pods.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the strategy: RollingUpdate or OnDelete.',
      default: 'RollingUpdate',
    },
    rollingUpdate: {
      ...RollingUpdateStatefulSetStrategy,
      description: 'Settings of the RollingUpdate strategy.',
    },
  },
}

export const StatefulSetPersistentVolumeClaimRetentionPolicy: StructuralSchema = {
  type: 'object',
  description: 'Retention policy of the claims of the pods.',
  properties: {
    whenDeleted: {
      type: 'string',
      description: 'Policy when the StatefulSet is deleted: Retain or Delete.',
    },
    whenScaled: {
      type: 'string',
      description: 'Policy when the StatefulSet is scaled down: Retain or Delete.',
    },
  },
}

export const StatefulSetOrdinals: StructuralSchema = {
  type: 'object',
  description: 'Numbering of the pods.',
  properties: {
    start: {
      type: 'integer',
      format: 'int32',
      description: 'Ordinal of the first pod.',
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
      description: 'Desired number of pods.',
      default: 1,
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the pods of the StatefulSet; immutable.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    volumeClaimTemplates: {
      type: 'array',
      items: PersistentVolumeClaim,
      description: 'Templates of the claims that are created for each pod.',
      'x-kubernetes-list-type': 'atomic',
    },
    serviceName: {
      type: 'string',
      description: 'Name of the Service that gives the pods their DNS names.',
    },
    podManagementPolicy: {
      type: 'string',
      description: 'Policy for creating and deleting pods: OrderedReady or Parallel.',
      default: 'OrderedReady',
    },
    updateStrategy: {
      ...StatefulSetUpdateStrategy,
      description: 'Strategy for replacing old pods with new pods.',
      default: {
        type: 'RollingUpdate',
      },
    },
    revisionHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Number of old revisions to keep.',
      default: 10,
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    persistentVolumeClaimRetentionPolicy: {
      ...StatefulSetPersistentVolumeClaimRetentionPolicy,
      description: 'Retention policy of the claims of the pods.',
    },
    ordinals: {
      ...StatefulSetOrdinals,
      description: 'Numbering of the pods.',
    },
  },
  required: ['selector', 'template'],
}

export const StatefulSetCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a StatefulSet.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
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
      description: 'Generation of the spec that the status describes.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods.',
      default: 0,
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of ready pods.',
    },
    currentReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods of the current revision.',
    },
    updatedReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods of the update revision.',
    },
    currentRevision: {
      type: 'string',
      description: 'Name of the current revision.',
    },
    updateRevision: {
      type: 'string',
      description: 'Name of the update revision.',
    },
    collisionCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of collisions of the hash in the names of revisions.',
    },
    conditions: {
      type: 'array',
      items: StatefulSetCondition,
      description: 'Conditions of the StatefulSet.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of available pods.',
    },
  },
  required: ['replicas'],
}

export const StatefulSet: StructuralSchema = {
  type: 'object',
  description: 'Maintains pods that have their own names and volumes.',
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
      ...StatefulSetSpec,
      description: 'Desired state of the StatefulSet.',
    },
    status: {
      ...StatefulSetStatus,
      description: 'Observed state of the StatefulSet.',
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
