import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { claimsOfPod } from '#api/core/v1/pod-claims.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { protect } from './protect.ts'

const finalizer = 'kubernetes.io/pvc-protection'
const claimIndex = 'claim-protection.claim'

/** Keeps a deleted claim until no pod uses it any more. */
export function createClaimProtectionController(options: ControllerOptions): Runnable {
  const { client, informers, clock, log } = options
  const claimCache = informers.informer(persistentVolumeClaims)
  const podCache = informers.informer(pods)
  podCache.addIndex(claimIndex, (pod) => claimsOf(pod).map(({ namespace, name }) => `${namespace}/${name}`))

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const claim = claimCache.get(namespace, name)
    if (claim === undefined) return done
    // The cache may not have the newest pod yet: the finalizer is removed only after a read from
    // the API.
    const isUsed = async (): Promise<boolean> => {
      if (podCache.byIndex(claimIndex, `${namespace}/${name}`).some(isBound)) return true
      const { items } = await client.list(pods, { namespace, signal })
      return items.some((pod) => isBound(pod) && claimsOf(pod).some((used) => used.name === name))
    }
    await protect(client, persistentVolumeClaims, claim, finalizer, isUsed, signal)
    return done
  }
  const sources = [
    watchResource(claimCache, enqueueSelf),
    watchResource(podCache, claimsOf, { predicate: ({ type }) => type === 'deleted' }),
  ]
  return createController({ name: 'pvc-protection', reconciler, sources, clock, log })
}

/** Pods that no node has taken up yet are not started with a claim that is being deleted. */
function isBound({ spec }: Pod): boolean {
  return (spec.nodeName ?? '') !== ''
}

function claimsOf(pod: Pod): readonly { namespace: string; name: string }[] {
  const namespace = pod.metadata.namespace ?? ''
  return claimsOfPod(pod).map(({ name }) => ({ namespace, name }))
}
