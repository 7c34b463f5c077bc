import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'

/** Options of the controller. */
export interface EndedPodsOptions extends ControllerOptions {
  /** Number of ended pods that are kept for inspection. Default 12 500, as in Kubernetes. */
  readonly mostEnded?: number
}

const endedIndex = 'pod-gc.ended'
const everything = { namespace: '', name: 'ended' }

/** Removes the oldest of the pods that have ended when there are too many of them. */
export function createEndedPodsController(options: EndedPodsOptions): Runnable {
  const { client, informers, clock, log, mostEnded = 12_500 } = options
  const podCache = informers.informer(pods)
  podCache.addIndex(endedIndex, (pod) => (isOver(pod) ? ['true'] : []))
  const reconciler: Reconciler = async (_request, { signal }) => {
    const ended = podCache.byIndex(endedIndex, 'true')
    const surplus = ended.length - mostEnded
    if (surplus <= 0) return done
    const oldest = ended.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1)).slice(0, surplus)
    for (const { metadata } of oldest) {
      const { namespace = '', name = '', uid = '' } = metadata
      await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal }).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error
      })
    }
    return done
  }
  const sources = [watchResource(podCache, () => [everything], { predicate: hasEnded })]
  return createController({ name: 'podgc-ended', reconciler, sources, clock, log })
}

function isOver({ status }: Pod): boolean {
  return isPodTerminal({ status })
}

function hasEnded(event: CacheEvent<Pod>): boolean {
  return event.type !== 'deleted' && isOver(event.object) && (event.type === 'added' || !isOver(event.old))
}

function ageOf({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? ''
}
