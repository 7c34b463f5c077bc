import { deepEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { endpoints, services } from '#api/core/v1/resources.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { channelSource, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { kubernetesService } from './kubernetes-service.ts'

/** Options of the controller. */
export interface KubernetesServiceOptions extends ControllerOptions {
  /** Port of the API server. */
  readonly apiPort: number
}

const key = { namespace: 'default', name: 'kubernetes' }
const selection = { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}` }

/** Keeps the service `kubernetes`, which stands for the API itself. */
export function createKubernetesServiceController(options: KubernetesServiceOptions): Runnable {
  const { client, informers, clock, log, apiPort } = options
  const serviceCache = informers.informer(services, selection)
  const endpointsCache = informers.informer(endpoints, selection)
  const sliceCache = informers.informer(endpointSlices, selection)
  const wanted = kubernetesService(apiPort)

  const keep = async <T extends KubeObject>(
    resource: ResourceType<T>,
    found: T | undefined,
    object: T,
    part: (object: T) => object,
    signal: AbortSignal,
  ): Promise<void> => {
    if (found === undefined) {
      await client.create(resource, object, { signal }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      })
    } else if (!deepEqual(part(found), part(object))) {
      await client.patch(resource, key, { type: 'merge', body: part(object) }, { signal })
    }
  }
  const reconciler: Reconciler = async (_request, { signal }) => {
    const { namespace, name } = key
    await keep(services, serviceCache.get(namespace, name), wanted.service, ({ spec }) => ({ spec: { ports: spec?.ports } }), signal)
    await keep(endpoints, endpointsCache.get(namespace, name), wanted.endpoints, ({ subsets }) => ({ subsets }), signal)
    await keep(
      endpointSlices,
      sliceCache.get(namespace, name),
      wanted.slice,
      ({ endpoints: all, ports }) => ({ endpoints: all, ports }),
      signal,
    )
    return done
  }
  const here = (): readonly Request[] => [key]
  // Triggers the first reconcile, which no event would.
  const start = channelSource()
  const sources = [start, watchResource(serviceCache, here), watchResource(endpointsCache, here), watchResource(sliceCache, here)]
  start.enqueue(key)
  return createController({ name: 'kubernetes-service', reconciler, sources, clock, log })
}
