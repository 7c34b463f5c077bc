import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { replicaSets } from '#api/apps/v1/resources.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { ownedInformer } from '#runtime/ownership/owner-index.ts'

/** A kind that keeps a number of pods: ReplicaSets themselves, or one that can be read as them. */
export interface ReplicaSetKind {
  /** Name of the controller: `replicaset`. */
  readonly name: string
  /** Resource and kind that the objects are stored as. */
  readonly resource: ResourceType<ReplicaSet>
  /** The objects as ReplicaSets. */
  informer(informers: InformerSet): Informer<ReplicaSet>
  /** Counts of the status that the kind does not know. */
  readonly unknownCounts: readonly string[]
}

/** ReplicaSets as they are. */
export const replicaSetKind: ReplicaSetKind = {
  name: 'replicaset',
  resource: replicaSets,
  informer: (informers) => ownedInformer(informers, replicaSets),
  unknownCounts: [],
}
