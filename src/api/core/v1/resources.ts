import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Binding } from './binding.ts'
import type { ConfigMap } from './config-map.ts'
import type { Endpoints } from './endpoints.ts'
import type { CoreEvent } from './event.ts'
import type { LimitRange } from './limit-range.ts'
import type { Namespace } from './namespace.ts'
import type { Node } from './node.ts'
import type { PersistentVolumeClaim } from './persistent-volume-claim.ts'
import type { PersistentVolume } from './persistent-volume.ts'
import type { Pod } from './pod.ts'
import type { PodTemplate, ReplicationController } from './replication-controller.ts'
import type { ResourceQuota } from './resource-quota.ts'
import type { Secret } from './secret.ts'
import type { ServiceAccount } from './service-account.ts'
import type { Service } from './service.ts'

/** `/api/v1/namespaces` */
export const namespaces: ResourceType<Namespace> = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false }

/** `/api/v1/configmaps` */
export const configMaps: ResourceType<ConfigMap> = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }

/** `/api/v1/secrets` */
export const secrets: ResourceType<Secret> = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true }

/** `/api/v1/serviceaccounts` */
export const serviceAccounts: ResourceType<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
}

/** `/api/v1/pods` */
export const pods: ResourceType<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }

/** `/api/v1/bindings`: create only, and `pods/binding`. */
export const bindings: ResourceType<Binding> = { group: '', version: 'v1', kind: 'Binding', plural: 'bindings', namespaced: true }

/** `/api/v1/nodes` */
export const nodes: ResourceType<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }

/** `/api/v1/events` */
export const events: ResourceType<CoreEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true }

/** `/api/v1/services` */
export const services: ResourceType<Service> = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true }

/** `/api/v1/endpoints` */
export const endpoints: ResourceType<Endpoints> = { group: '', version: 'v1', kind: 'Endpoints', plural: 'endpoints', namespaced: true }

/** `/api/v1/persistentvolumes` */
export const persistentVolumes: ResourceType<PersistentVolume> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
}

/** `/api/v1/persistentvolumeclaims` */
export const persistentVolumeClaims: ResourceType<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
}

/** `/api/v1/replicationcontrollers` */
export const replicationControllers: ResourceType<ReplicationController> = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
}

/** `/api/v1/podtemplates` */
export const podTemplates: ResourceType<PodTemplate> = {
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
}

/** `/api/v1/limitranges` */
export const limitRanges: ResourceType<LimitRange> = {
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  namespaced: true,
}

/** `/api/v1/resourcequotas` */
export const resourceQuotas: ResourceType<ResourceQuota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
}
