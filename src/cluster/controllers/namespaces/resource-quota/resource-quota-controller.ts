import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { resourceQuotas } from '#api/core/v1/resources.ts'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import type { CountedResource } from '#api/usage/object-usage.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { channelSource, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import type { ResourceCatalog } from '#cluster/controllers/resource-catalog.ts'
import { countedResources, quotaStatus } from './quota-usage.ts'

/** Dependencies of the quota controller. */
export interface ResourceQuotaControllerOptions extends ControllerOptions {
  readonly catalog: ResourceCatalog
}

/**
 * A quota may name a resource that is served later, and terminating pods stop counting after their
 * grace period: no event announces either.
 */
const recheckMs = 30_000

/**
 * Reports the use of every quota in its status. Informational: admission computes the use itself.
 */
export function createResourceQuotaController(options: ResourceQuotaControllerOptions): Runnable {
  const { informers, clock, log, catalog } = options
  const quotaCache = informers.informer(resourceQuotas)
  const watched = new Map<string, Informer<KubeObject>>()
  const changes = channelSource()

  const watch = (resource: CountedResource): Informer<KubeObject> | undefined => {
    const key = `${resource.group}/${resource.plural}`
    const known = watched.get(key)
    if (known !== undefined) return known
    const served = catalog.resources().find(({ group, plural }) => group === resource.group && plural === resource.plural)
    if (served === undefined) return undefined
    const informer = informers.informer(served)
    informer.onEvent((event) => {
      if (!changesUsage(event)) return
      for (const quota of quotaCache.list(event.object.metadata?.namespace ?? ''))
        for (const request of enqueueSelf(quota)) changes.enqueue(request)
    })
    watched.set(key, informer)
    return informer
  }
  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const quota = quotaCache.get(namespace, name)
    if (quota === undefined) return done
    const counted = countedResources(quota).flatMap((resource) => {
      const informer = watch(resource)
      return informer === undefined ? [] : [{ ...resource, informer }]
    })
    await Promise.all(counted.map(({ informer }) => informer.synced(signal)))
    const objects = counted.map(({ group, plural, informer }) => ({ group, plural, objects: informer.list(namespace) }))
    return report(options, quota, objects, signal)
  }
  const sources = [watchResource(quotaCache, enqueueSelf), changes]
  return createController({ name: 'resourcequota', reconciler, sources, concurrency: 2, clock, log })
}

// Status alone hardly ever counts; the end of a pod does.
function changesUsage(event: CacheEvent<KubeObject>): boolean {
  if (event.type !== 'updated') return true
  const part = (object: KubeObject & { spec?: unknown; status?: { phase?: string } }): unknown => [
    object.spec,
    object.status?.phase,
    object.metadata?.deletionTimestamp,
  ]
  return !deepEqual(part(event.object), part(event.old))
}

async function report(
  { client, clock }: ControllerOptions,
  quota: ResourceQuota,
  objects: Parameters<typeof quotaStatus>[1],
  signal: AbortSignal,
): Promise<Result> {
  const status = quotaStatus(quota, objects, clock.now())
  if (deepEqual(status, quota.status)) return recheckIn(recheckMs)
  try {
    await client.update(resourceQuotas, { ...quota, status }, { subresource: 'status', signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return recheckIn(recheckMs)
}
