import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { claimDependents } from '#runtime/ownership/adoption.ts'
import { candidatesOf, controlledBy } from '#runtime/ownership/owner-index.ts'
import { isActive } from '../pods/pod-state.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import type { ReplicaSetObservation } from './decide.ts'

/** Caches that a ReplicaSet is observed in. */
export interface ReplicaSetCaches {
  /** Resource that the ReplicaSets are stored as. */
  readonly resource: ResourceType<ReplicaSet>
  readonly replicaSets: Informer<ReplicaSet>
  readonly pods: Informer<Pod>
}

/** Gathers what a decision needs; adopts and releases pods on the way. */
export async function observeReplicaSet(
  client: Client,
  caches: ReplicaSetCaches,
  replicaSet: ReplicaSet,
  settled: boolean,
  signal: AbortSignal,
): Promise<ReplicaSetObservation> {
  const claimant = { resource: caches.resource, owner: replicaSet, selector: workloadSelector(replicaSet.spec.selector) }
  const owned = await claimDependents(client, claimant, pods, candidatesOf(caches.pods, replicaSet), signal)
  return { replicaSet, pods: owned, related: relatedByNode(caches, replicaSet), settled }
}

/** Active pods by node, of all ReplicaSets that belong to the same controller. */
function relatedByNode(caches: ReplicaSetCaches, replicaSet: ReplicaSet): ReadonlyMap<string, number> {
  const controller = controllerOf(replicaSet)?.uid
  const siblings = controller === undefined ? [replicaSet] : controlledBy(caches.replicaSets, { metadata: { uid: controller } })
  const counts = new Map<string, number>()
  for (const pod of siblings.flatMap((sibling) => controlledBy(caches.pods, sibling))) {
    if (isActive(pod)) counts.set(pod.spec.nodeName ?? '', (counts.get(pod.spec.nodeName ?? '') ?? 0) + 1)
  }
  return counts
}
