import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ControllerRevision } from './controller-revision.ts'
import type { DaemonSet } from './daemon-set.ts'
import type { Deployment } from './deployment.ts'
import type { ReplicaSet } from './replica-set.ts'
import type { StatefulSet } from './stateful-set.ts'

/** `/apis/apps/v1/controllerrevisions` */
export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
}

/** `/apis/apps/v1/deployments` */
export const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
}

/** `/apis/apps/v1/replicasets` */
export const replicaSets: ResourceType<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
}

/** `/apis/apps/v1/daemonsets` */
export const daemonSets: ResourceType<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
}

/** `/apis/apps/v1/statefulsets` */
export const statefulSets: ResourceType<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
}
