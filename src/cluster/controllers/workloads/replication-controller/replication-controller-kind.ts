import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { ReplicationController } from '#api/core/v1/replication-controller.ts'
import { replicationControllers } from '#api/core/v1/resources.ts'
import { ownedInformer } from '#runtime/ownership/owner-index.ts'
import type { ReplicaSetKind } from '../replicaset/replica-set-kind.ts'
import { mapInformer } from './mapped-informer.ts'

/** One ReplicaSet for each ReplicationController: caches compare by identity. */
const views = new WeakMap<ReplicationController, ReplicaSet>()

/** A ReplicationController as the ReplicaSet that would do the same. Pure. */
export function asReplicaSet(controller: ReplicationController): ReplicaSet {
  const known = views.get(controller)
  if (known !== undefined) return known
  const { selector, ...spec } = controller.spec ?? {}
  const view = { ...controller, spec: { ...spec, selector: { matchLabels: selector ?? {} } } } as ReplicaSet
  views.set(controller, view)
  return view
}

/** ReplicationControllers, which differ from ReplicaSets in how they write their selector. */
export const replicationControllerKind: ReplicaSetKind = {
  name: 'replicationcontroller',
  resource: { group: '', version: 'v1', kind: 'ReplicationController', plural: 'replicationcontrollers', namespaced: true },
  informer: (informers) => mapInformer(ownedInformer(informers, replicationControllers), asReplicaSet),
  unknownCounts: ['terminatingReplicas'],
}
