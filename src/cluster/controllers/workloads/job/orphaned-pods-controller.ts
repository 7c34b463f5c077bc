import { jobs } from '#api/batch/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { controlledBy, ownedInformer } from '#runtime/ownership/owner-index.ts'
import { isHeld } from './accounting.ts'
import { releasePod } from './release-pod.ts'

/** Removes the finalizer from pods of deleted Jobs, which could not be deleted otherwise. */
export function createOrphanedPodsController({ client, informers, clock, log }: ControllerOptions): Runnable {
  const jobCache = informers.informer(jobs)
  const podCache = ownedInformer(informers, pods)

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const pod = podCache.get(namespace, name)
    if (pod === undefined || !isHeld(pod) || hasJob(pod)) return done
    // The cache of Jobs may lag behind that of pods: the API decides.
    if (!(await jobExists(pod, signal))) await releasePod(client, pod, signal)
    return done
  }

  function hasJob(pod: Pod): boolean {
    const controller = controllerOf(pod)
    if (controller === undefined) return false
    return controller.kind !== 'Job' || jobCache.get(pod.metadata.namespace ?? '', controller.name)?.metadata.uid === controller.uid
  }

  async function jobExists(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const controller = controllerOf(pod)
    if (controller === undefined) return false
    try {
      const found = await client.get(jobs, { namespace: pod.metadata.namespace ?? '', name: controller.name }, { signal })
      return found.metadata.uid === controller.uid
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
  const sources = [
    watchResource(podCache, enqueueSelf, {
      predicate: ({ type, object }) => type !== 'deleted' && isHeld(object) && jobCache.hasSynced && !hasJob(object),
    }),
    watchResource(jobCache, (job) => controlledBy(podCache, job).flatMap(enqueueSelf), { predicate: ({ type }) => type === 'deleted' }),
  ]
  return createController({ name: 'orphaned-job-pods', reconciler, sources, clock, log })
}
