import { isDeepStrictEqual } from 'node:util'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { bindings, nodes, persistentVolumeClaims, persistentVolumes, pods } from '#api/core/v1/resources.ts'
import type { Binding } from '#api/core/v1/binding.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import { type Clock, timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, type Source, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { type NodeState, nodeState } from './node-state.ts'
import { schedule } from './schedule.ts'
import { podVolumes, selectedNodeAnnotation, claimsWithoutNode, type VolumeView } from './volumes.ts'

/** Dependencies of the scheduler. */
export interface SchedulerOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly clock: Clock
  readonly log: Logger
  readonly recorder: Recorder
}

const schedulerName = 'default-scheduler'

/** Binds pods to nodes. Pods that name another scheduler are left alone. */
export function createScheduler(options: SchedulerOptions): Runnable {
  const { informers, clock, log } = options
  const podCache = informers.informer(pods)
  const nodeCache = informers.informer(nodes)
  podCache.addIndex('scheduler.node', (pod) => (pod.spec.nodeName === undefined || pod.spec.nodeName === '' ? [] : [pod.spec.nodeName]))
  podCache.addIndex('scheduler.waiting', (pod) => (isWaiting(pod) ? ['true'] : []))
  const waiting = (): readonly Request[] => podCache.byIndex('scheduler.waiting', 'true').flatMap(enqueueSelf)
  const waitingWithClaim = (): readonly Request[] => podCache.byIndex('scheduler.waiting', 'true').filter(hasClaim).flatMap(enqueueSelf)
  const claimCache = informers.informer(persistentVolumeClaims)
  const volumeCache = informers.informer(persistentVolumes)
  const classCache = informers.informer(storageClasses)
  const view: VolumeView = {
    claim: (namespace, name) => claimCache.get(namespace, name),
    storageClass: (name) => classCache.get('', name),
    volumes: () => volumeCache.list(),
  }
  const sources: readonly Source[] = [
    watchResource(podCache, (pod) => (isWaiting(pod) ? enqueueSelf(pod) : [])),
    watchResource(podCache, waiting, { predicate: makesRoom }),
    watchResource(nodeCache, waiting, { predicate: changesPlacement }),
    watchResource(claimCache, waitingWithClaim),
    watchResource(volumeCache, waitingWithClaim),
    watchResource(classCache, waitingWithClaim),
  ]
  const reconciler = createSchedulingReconciler(options, podCache, nodeCache, view)
  return createController({ name: 'scheduler', reconciler, sources, clock, log, concurrency: 16 })
}

/**
 * Decides for one pod. The decision is made without a pause, and remembered until the cache shows
 * it, so that pods bound at once see each other.
 */
function createSchedulingReconciler(
  options: SchedulerOptions,
  podCache: Informer<Pod>,
  nodeCache: Informer<Node>,
  view: VolumeView,
): Reconciler {
  const assumed = new Map<string, Pod>()

  function states(): readonly NodeState[] {
    for (const [uid, pod] of assumed) if (isSettled(pod)) assumed.delete(uid)
    return nodeCache.list().map((node) => {
      const { name = '' } = node.metadata
      const bound = podCache.byIndex('scheduler.node', name)
      return nodeState(node, [...bound, ...[...assumed.values()].filter((pod) => pod.spec.nodeName === name)])
    })
  }
  function isSettled(pod: Pod): boolean {
    const cached = podCache.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '')
    return cached?.metadata.uid !== pod.metadata.uid || (cached?.spec.nodeName ?? '') !== ''
  }
  return async ({ namespace, name }, { signal }) => {
    const pod = podCache.get(namespace, name)
    const uid = pod?.metadata.uid ?? ''
    if (pod === undefined || !isWaiting(pod) || assumed.has(uid)) return done
    const placement = schedule(pod, states(), view)
    if (placement.kind === 'unschedulable') {
      await refuse(options, pod, placement.message, signal)
      return done
    }
    const volumes = podVolumes(pod, view)
    if (volumes.delayed.length > 0) {
      // Bound when its claims are, of which their events tell.
      for (const claim of claimsWithoutNode(volumes)) await select(options, claim, placement.node, signal)
      return done
    }
    assumed.set(uid, { ...pod, spec: { ...pod.spec, nodeName: placement.node } })
    try {
      await bind(options, pod, placement.node, signal)
    } catch (error) {
      assumed.delete(uid)
      throw error
    }
    return done
  }
}

function hasClaim({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
}

/** Sets the selected node on a claim that waits for its first pod. */
async function select({ client }: SchedulerOptions, { metadata }: PersistentVolumeClaim, node: string, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion } = metadata
  const body = { metadata: { uid, resourceVersion, annotations: selectedNodeAnnotation(node) } }
  await client.patch(persistentVolumeClaims, { namespace, name }, { type: 'merge', body }, { signal })
}

function isWaiting(pod: Pod): boolean {
  const { nodeName = '', schedulingGates = [] } = pod.spec
  return (
    nodeName === '' &&
    (pod.spec.schedulerName ?? schedulerName) === schedulerName &&
    schedulingGates.length === 0 &&
    !isBeingDeleted(pod) &&
    !isOver(pod)
  )
}

function isOver(pod: Pod): boolean {
  return isPodTerminal(pod)
}

function makesRoom(event: CacheEvent<Pod>): boolean {
  if (event.type === 'deleted') return true
  return event.type === 'updated' && isOver(event.object) && !isOver(event.old)
}

function changesPlacement(event: CacheEvent<Node>): boolean {
  if (event.type !== 'updated') return true
  const part = ({ metadata, spec, status }: Node): unknown => [metadata.labels, spec?.taints, spec?.unschedulable, status?.allocatable]
  return !isDeepStrictEqual(part(event.object), part(event.old))
}

async function bind({ client, recorder }: SchedulerOptions, pod: Pod, node: string, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const binding: Binding = {
    apiVersion: 'v1',
    kind: bindings.kind,
    metadata: { namespace, name, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  }
  try {
    await client.create(pods, binding, { subresource: 'binding', signal })
  } catch (error) {
    // Deleted, or bound concurrently: the watch delivers it.
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`)
}

async function refuse({ client, clock, recorder }: SchedulerOptions, pod: Pod, message: string, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const old = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled')
  if (old?.status === 'False' && old.reason === 'Unschedulable' && old.message === message) return
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : timestamp(clock.now())
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime }
  const body = { metadata: { uid }, status: { conditions: [condition] } }
  try {
    await client.patch(pods, { namespace, name }, { type: 'strategic', body }, { subresource: 'status', signal })
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Warning', 'FailedScheduling', message)
}
