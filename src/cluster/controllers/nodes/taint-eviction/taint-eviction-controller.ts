import { deepEqual } from '#apimachinery/equality.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { evictionTime } from './eviction-time.ts'

/** Dependencies of the taint eviction controller. */
export interface TaintEvictionControllerOptions extends ControllerOptions {
  readonly recorder: Recorder
}

const nodeIndex = 'taint-eviction.node'

/**
 * Deletes pods from nodes whose NoExecute taints they do not bear, or have borne for as long as
 * they wanted.
 */
export function createTaintEvictionController(options: TaintEvictionControllerOptions): Runnable {
  const { informers, clock, log, recorder } = options
  const podCache = informers.informer(pods)
  const nodeCache = informers.informer(nodes)
  podCache.addIndex(nodeIndex, ({ spec }) => [spec.nodeName ?? ''])
  /**
   * Pods that are to go, by uid, with the time at which that was found: for taints that do not say
   * since when they are there.
   */
  const leaving = new Map<string, number>()

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const pod = podCache.get(namespace, name)
    const uid = pod?.metadata.uid ?? ''
    const taints = nodeCache.get('', pod?.spec.nodeName ?? '')?.spec?.taints ?? []
    if (pod === undefined || isBeingDeleted(pod)) return done
    const seenAt = leaving.get(uid) ?? clock.now()
    const at = evictionTime(pod, taints, seenAt)
    if (at === Infinity) {
      if (leaving.delete(uid)) record(recorder, pod, `Cancelling deletion of Pod ${namespace}/${name}`)
      return done
    }
    leaving.set(uid, seenAt)
    if (at > clock.now()) return recheckIn(at - clock.now())
    record(recorder, pod, `Marking for deletion Pod ${namespace}/${name}`)
    await evict(options, pod, signal)
    return done
  }
  const sources = [
    watchResource(podCache, enqueueSelf, { predicate: ({ object }) => (object.spec.nodeName ?? '') !== '' }),
    watchResource(nodeCache, ({ metadata }) => podCache.byIndex(nodeIndex, metadata.name ?? '').flatMap(enqueueSelf), {
      predicate: changesTaints,
    }),
    watchResource(podCache, forget, { predicate: ({ type }) => type === 'deleted' }),
  ]
  function forget({ metadata }: Pod): readonly [] {
    leaving.delete(metadata.uid ?? '')
    return []
  }
  return createController({ name: 'taint-eviction', reconciler, sources, concurrency: 8, clock, log })
}

function changesTaints(event: CacheEvent<Node>): boolean {
  return event.type !== 'updated' || !deepEqual(event.object.spec?.taints, event.old.spec?.taints)
}

function record(recorder: Recorder, pod: Pod, message: string): void {
  recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Normal', 'TaintManagerEviction', message)
}

/** Sets the DisruptionTarget condition, then deletes the pod with its grace period. */
async function evict({ client, clock }: ControllerOptions, { metadata }: Pod, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata
  const key = { namespace, name }
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: timestamp(clock.now()),
  }
  try {
    const body = { metadata: { uid }, status: { conditions: [condition] } }
    await client.patch(pods, key, { type: 'strategic', body }, { subresource: 'status', signal })
    await client.delete(pods, key, { preconditions: { uid }, signal })
  } catch (error) {
    // Gone, or replaced by a namesake.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
