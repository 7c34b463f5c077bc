import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { DaemonSet, DaemonSetStatus } from '#api/apps/v1/daemon-set.ts'
import { controllerRevisions, daemonSets } from '#api/apps/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import { createExpectations, expectationKey } from '#runtime/controller/expectations.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { claimDependents } from '#runtime/ownership/adoption.ts'
import { revisionHashLabel } from '../history/revision-label.ts'
import { hashOf } from '../history/revisions.ts'
import { RevisionCollision, syncRevisions } from '../history/sync-revisions.ts'
import { enqueueController } from '#runtime/ownership/enqueue-controller.ts'
import { candidatesOf, ownedInformer } from '#runtime/ownership/owner-index.ts'
import { podControl } from '../pods/pod-control.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import { slowStart } from '#runtime/controller/slow-start.ts'
import { writeStatus } from '../status-patch.ts'
import { typed, workloadPorts } from '../workload-ports.ts'
import { daemonPod, targetNode } from './daemon-pod.ts'
import { decideDaemonSet, type DaemonSetDecision } from './decide.ts'
import { createFailedPods } from './failed-pods.ts'

const optionalCounts = ['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'observedGeneration']

/** Keeps one pod of each DaemonSet on every node that it is for. */
export function createDaemonSetController(options: ControllerOptions): Runnable {
  const ports = workloadPorts(options, 'daemonset-controller')
  const { client, informers, clock, log, recorder } = ports
  const daemonSetCache = informers.informer(daemonSets)
  const nodeCache = informers.informer(nodes)
  const podCache = ownedInformer(informers, pods)
  // There are many more ControllerRevisions, of VMs; those of workloads have this label.
  const revisionCache = ownedInformer(informers, controllerRevisions, { labelSelector: revisionHashLabel })
  const expectations = createExpectations({ clock })
  const failedPods = createFailedPods()
  podCache.onEvent((event) => expectations.observe(event))

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const cached = daemonSetCache.get(namespace, name)
    if (cached === undefined) return done
    const daemonSet = typed(daemonSets, cached)
    const key = expectationKey(daemonSet)
    const settled = expectations.satisfied(key)
    const claimant = { resource: daemonSets, owner: daemonSet, selector: workloadSelector(daemonSet.spec.selector) }
    const owned = await claimDependents(client, claimant, pods, candidatesOf(podCache, daemonSet), signal)
    const revisions = await claimDependents(client, claimant, controllerRevisions, candidatesOf(revisionCache, daemonSet), signal)
    const current = await currentRevision(daemonSet, revisions, owned, signal)
    const nodesNow = nodeCache.list()
    const retryAt = new Map(nodesNow.map(({ metadata }) => [metadata.name ?? '', failedPods.retryAt(`${key}/${metadata.name ?? ''}`)]))
    const observed = { daemonSet, nodes: nodesNow, pods: owned, hash: hashOf(current), settled, retryAt }
    const decision = decideDaemonSet(observed, clock.now())
    const failure = await act(daemonSet, decision, hashOf(current), signal)
    await report(daemonSet, decision.status, signal)
    if (failure !== undefined) throw failure.error
    return decision.recheckAfterMs === undefined ? done : recheckIn(decision.recheckAfterMs)
  }

  async function currentRevision(
    daemonSet: DaemonSet,
    revisions: readonly ControllerRevision[],
    owned: readonly Pod[],
    signal: AbortSignal,
  ): Promise<ControllerRevision> {
    const live = new Set(owned.map(({ metadata }) => metadata.labels?.[revisionHashLabel] ?? ''))
    try {
      const claimant = { resource: daemonSets, owner: daemonSet }
      return await syncRevisions(client, claimant, revisions, (revision) => live.has(hashOf(revision)), signal)
    } catch (error) {
      if (error instanceof RevisionCollision) {
        const { collisionCount = 0, ...status } = daemonSet.status ?? emptyStatus
        await report(daemonSet, { ...status, collisionCount: collisionCount + 1 }, signal)
      }
      throw error
    }
  }

  async function act(
    daemonSet: DaemonSet,
    { create, remove, ended }: DaemonSetDecision,
    hash: string,
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown } | undefined> {
    const control = podControl(ports, daemonSet, expectations, signal)
    for (const pod of ended) tellOfEnd(daemonSet, pod)
    const results = await Promise.allSettled([
      slowStart(create.length, (index) => control.create(daemonPod(daemonSet, create[index] ?? '', hash))),
      ...remove.map((pod) => control.remove(pod)),
    ])
    const failed = results.find((result) => result.status === 'rejected')
    return failed === undefined ? undefined : { error: failed.reason }
  }

  function tellOfEnd(daemonSet: DaemonSet, pod: Pod): void {
    const node = targetNode(pod)
    const where = `daemon pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''} on node ${node}`
    if (pod.status?.phase !== 'Failed') {
      return recorder.event(daemonSet, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`)
    }
    failedPods.replaced(`${expectationKey(daemonSet)}/${node}`, clock.now())
    recorder.event(daemonSet, 'Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`)
  }

  async function report(daemonSet: DaemonSet, status: DaemonSetStatus, signal: AbortSignal): Promise<void> {
    const { conditions } = daemonSet.status ?? {}
    try {
      await writeStatus(client, daemonSets, daemonSet, { ...status, conditions }, { optional: optionalCounts, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  const all = (): ReturnType<typeof enqueueSelf> => daemonSetCache.list().flatMap(enqueueSelf)
  const sources = [
    watchResource(daemonSetCache, enqueueSelf, {
      predicate: (event) => {
        if (event.type === 'deleted') expectations.forget(expectationKey(event.object))
        return event.type !== 'deleted'
      },
    }),
    watchResource(podCache, enqueueController(daemonSets, daemonSetCache)),
    watchResource(revisionCache, enqueueController(daemonSets, daemonSetCache)),
    watchResource(nodeCache, all, { predicate: changesEligibility }),
  ]
  return createController({ name: 'daemonset', reconciler, sources, clock, log, concurrency: 2 })
}

const emptyStatus: DaemonSetStatus = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }

/** Heartbeats do not count as changes. */
function changesEligibility(event: CacheEvent<Node>): boolean {
  if (event.type !== 'updated') return true
  const part = ({ metadata, spec }: Node): unknown => ({ labels: metadata.labels, taints: spec?.taints })
  return !deepEqual(part(event.object), part(event.old))
}
