import { persistentVolumes } from '#api/core/v1/resources.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { protect } from './protect.ts'

const finalizer = 'kubernetes.io/pv-protection'

/** Keeps a deleted volume until it is bound to no claim any more. */
export function createVolumeProtectionController({ client, informers, clock, log }: ControllerOptions): Runnable {
  const cache = informers.informer(persistentVolumes)
  const reconciler: Reconciler = async ({ name }, { signal }) => {
    const volume = cache.get('', name)
    if (volume === undefined) return done
    await protect(client, persistentVolumes, volume, finalizer, () => volume.status?.phase === 'Bound', signal)
    return done
  }
  return createController({ name: 'pv-protection', reconciler, sources: [watchResource(cache, enqueueSelf)], clock, log })
}
