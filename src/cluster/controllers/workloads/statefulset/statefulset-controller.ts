import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions, statefulSets } from '#api/apps/v1/resources.ts'
import type { StatefulSet, StatefulSetStatus } from '#api/apps/v1/stateful-set.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { createController } from '#runtime/controller/controller.ts'
import { expectationKey, createExpectations } from '#runtime/controller/expectations.ts'
import { done, recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { revisionHashLabel } from '../history/revision-label.ts'
import { RevisionCollision, syncRevisions } from '../history/sync-revisions.ts'
import { claimDependents } from '#runtime/ownership/adoption.ts'
import { enqueueController } from '#runtime/ownership/enqueue-controller.ts'
import { candidatesOf, ownedInformer } from '#runtime/ownership/owner-index.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import { podControl } from '../pods/pod-control.ts'
import { slowStart } from '#runtime/controller/slow-start.ts'
import { writeStatus } from '../status-patch.ts'
import { typed, workloadPorts } from '../workload-ports.ts'
import { decideStatefulSet, type StatefulSetDecision } from './decide.ts'
import { ordinalOf } from './ordinals.ts'
import { revisionOf } from './stateful-pod.ts'

const optionalCounts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'observedGeneration']

/** Keeps the pods of StatefulSets, each with its own name and claims. */
export function createStatefulSetController(options: ControllerOptions): Runnable {
  const ports = workloadPorts(options, 'statefulset-controller')
  const { client, informers, clock, log, recorder } = ports
  const setCache = informers.informer(statefulSets)
  const podCache = ownedInformer(informers, pods)
  const claimCache = informers.informer(persistentVolumeClaims)
  // There are many more ControllerRevisions, of VMs; those of workloads have this label.
  const revisionCache = ownedInformer(informers, controllerRevisions, { labelSelector: revisionHashLabel })
  const expectations = createExpectations({ clock })
  podCache.onEvent((event) => expectations.observe(event))

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const cached = setCache.get(namespace, name)
    if (cached === undefined) return done
    const statefulSet = typed(statefulSets, cached)
    const settled = expectations.satisfied(expectationKey(statefulSet))
    const claimant = { resource: statefulSets, owner: statefulSet, selector: workloadSelector(statefulSet.spec.selector) }
    const members = candidatesOf(podCache, statefulSet).filter((pod) => ordinalOf(statefulSet, pod) !== undefined)
    const owned = await claimDependents(client, claimant, pods, members, signal)
    const revisions = await claimDependents(client, claimant, controllerRevisions, candidatesOf(revisionCache, statefulSet), signal)
    const update = await updateRevision(statefulSet, revisions, owned, signal)
    const current = revisions.find(({ metadata }) => metadata.name === statefulSet.status?.currentRevision) ?? update
    const claims = new Map(claimCache.list(namespace).map((claim) => [claim.metadata.name ?? '', claim]))
    const decision = decideStatefulSet({ statefulSet, pods: owned, claims, current, update, settled }, clock.now())
    const failure = await act(statefulSet, decision, signal)
    await report(statefulSet, decision.status, signal)
    if (failure !== undefined) throw failure.error
    return decision.recheckAfterMs === undefined ? done : recheckIn(decision.recheckAfterMs)
  }

  async function updateRevision(
    statefulSet: StatefulSet,
    revisions: readonly ControllerRevision[],
    owned: readonly Pod[],
    signal: AbortSignal,
  ): Promise<ControllerRevision> {
    const live = new Set([...owned.map(revisionOf), statefulSet.status?.currentRevision ?? ''])
    try {
      const claimant = { resource: statefulSets, owner: statefulSet }
      return await syncRevisions(client, claimant, revisions, ({ metadata }) => live.has(metadata.name ?? ''), signal)
    } catch (error) {
      if (error instanceof RevisionCollision) {
        const { collisionCount = 0, ...status } = statefulSet.status ?? { replicas: 0 }
        await report(statefulSet, { ...status, collisionCount: collisionCount + 1 }, signal)
      }
      throw error
    }
  }

  async function act(
    statefulSet: StatefulSet,
    { claims, owners, create, remove, ended }: StatefulSetDecision,
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown } | undefined> {
    const control = podControl(ports, statefulSet, expectations, signal)
    const name = `${statefulSet.metadata.namespace ?? ''}/${statefulSet.metadata.name ?? ''}`
    for (const { metadata } of ended)
      recorder.event(statefulSet, 'Warning', 'RecreatingFailedPod', `StatefulSet ${name} is recreating failed Pod ${metadata.name ?? ''}`)
    try {
      for (const claim of claims) await createClaim(claim, signal)
      for (const { claim, owners: ownerReferences } of owners) await setOwners(claim, ownerReferences, signal)
      await slowStart(create.length, async (at) => {
        const pod = create[at]
        if (pod !== undefined) await control.create(pod)
      })
      for (const pod of remove) await control.remove(pod)
      return undefined
    } catch (error) {
      return { error }
    }
  }

  async function createClaim(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
    try {
      await client.create(persistentVolumeClaims, claim, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async function setOwners({ metadata }: PersistentVolumeClaim, ownerReferences: readonly object[], signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion } = metadata
    const body = { metadata: { uid, resourceVersion, ownerReferences } }
    try {
      await client.patch(persistentVolumeClaims, keyOf({ metadata }), { type: 'merge', body }, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async function report(statefulSet: StatefulSet, status: StatefulSetStatus, signal: AbortSignal): Promise<void> {
    const { conditions } = statefulSet.status ?? {}
    try {
      await writeStatus(client, statefulSets, statefulSet, { ...status, conditions }, { optional: optionalCounts, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Leads from a claim to the StatefulSets whose pods have claims of such a name. */
  function usersOf({ metadata }: PersistentVolumeClaim): readonly Request[] {
    return setCache
      .list(metadata.namespace ?? '')
      .filter((statefulSet) =>
        (statefulSet.spec.volumeClaimTemplates ?? []).some((template) =>
          metadata.name?.startsWith(`${template.metadata.name ?? ''}-${statefulSet.metadata.name ?? ''}-`),
        ),
      )
      .flatMap(enqueueSelf)
  }

  const sources = [
    watchResource(setCache, enqueueSelf, {
      predicate: (event) => {
        if (event.type === 'deleted') expectations.forget(expectationKey(event.object))
        return event.type !== 'deleted'
      },
    }),
    watchResource(podCache, enqueueController(statefulSets, setCache)),
    watchResource(revisionCache, enqueueController(statefulSets, setCache)),
    watchResource(claimCache, usersOf, { predicate: (event) => event.type === 'deleted' || isBeingDeleted(event.object) }),
  ]
  return createController({ name: 'statefulset', reconciler, sources, clock, log, concurrency: 2 })
}
