import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'

/** A node may be registered anew under its name; its pods get this long (milliseconds). */
const quarantineMs = 40_000

/**
 * Removes pods of nodes that no longer exist, and pods that were deleted before they got a node: no
 * kubelet will ever end them.
 */
export function createPodGcController(options: ControllerOptions): Runnable {
  const { client, informers, clock, log } = options
  const podCache = informers.informer(pods)
  const nodeCache = informers.informer(nodes)
  podCache.addIndex('pod-gc.node', (pod) => [pod.spec.nodeName ?? ''])
  const missingSince = new Map<string, number>()

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const pod = podCache.get(namespace, name)
    if (pod === undefined) return done
    const { nodeName = '' } = pod.spec
    if (nodeName === '') {
      if (isBeingDeleted(pod)) await remove(client, pod, signal)
      return done
    }
    if (nodeCache.get('', nodeName) !== undefined) {
      missingSince.delete(nodeName)
      return done
    }
    const since = missingSince.getOrInsert(nodeName, clock.now())
    const left = since + quarantineMs - clock.now()
    if (left > 0) return recheckIn(left)
    if (!(await nodeExists(client, nodeName, signal))) await remove(client, pod, signal)
    return done
  }
  const sources = [
    watchResource(podCache, enqueueSelf, { predicate: (event) => event.type !== 'deleted' && mayBeLost(event.object) }),
    watchResource(nodeCache, (node) => podCache.byIndex('pod-gc.node', node.metadata.name ?? '').flatMap(enqueueSelf), {
      predicate: (event) => event.type !== 'updated',
    }),
  ]
  function mayBeLost({ spec, metadata }: Pod): boolean {
    if ((spec.nodeName ?? '') === '') return isBeingDeleted({ metadata })
    return nodeCache.hasSynced && nodeCache.get('', spec.nodeName ?? '') === undefined
  }
  return createController({ name: 'podgc', reconciler, sources, clock, log })
}

async function nodeExists(client: ControllerOptions['client'], name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(nodes, { name }, { signal })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

async function remove(client: ControllerOptions['client'], { metadata }: Pod, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata
  try {
    await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
