import { deepEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { endpoints, pods, services } from '#api/core/v1/resources.ts'
import type { Endpoints } from '#api/core/v1/endpoints.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { isNamespaceTerminating } from '#cluster/controllers/namespaces/namespace-terminating.ts'
import { planSlices, serviceNameLabel, type SlicePlan } from './endpoint-slices.ts'
import { endpointsOf, isManaged } from './endpoints-object.ts'
import { planMirroredSlices } from './mirrored-slices.ts'
import { backendsOf, hasSelector, selects } from './service-pods.ts'

const serviceIndex = 'endpoints.service'
const namespaceIndex = 'endpoints.namespace'

/**
 * Keeps for every service with a selector its Endpoints and EndpointSlices: who serves it, where,
 * and whether it is ready.
 */
export function createEndpointsController(options: ControllerOptions): Runnable {
  const { informers, clock, log } = options
  const serviceCache = informers.informer(services)
  const podCache = informers.informer(pods)
  const endpointsCache = informers.informer(endpoints)
  const sliceCache = informers.informer(endpointSlices)
  podCache.addIndex(namespaceIndex, ({ metadata }) => [metadata.namespace ?? ''])
  serviceCache.addIndex(namespaceIndex, ({ metadata }) => [metadata.namespace ?? ''])
  sliceCache.addIndex(serviceIndex, ({ metadata }) => [`${metadata.namespace ?? ''}/${metadata.labels?.[serviceNameLabel] ?? ''}`])

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const service = serviceCache.get(namespace, name)
    const found = endpointsCache.get(namespace, name)
    if (service === undefined) {
      // Slices are owned by the service and garbage collected with it; Endpoints share only its
      // name. Those that a user maintains are kept.
      if (found !== undefined && isManaged(found))
        await options.client.delete(endpoints, { namespace, name }, { signal }).catch(unless(isNotFound))
      return done
    }
    if (isBeingDeleted(service)) return done
    const slices = sliceCache.byIndex(serviceIndex, `${namespace}/${name}`)
    await keepSlices(options, planMirroredSlices(service, found, slices), signal)
    if (!hasSelector(service)) return done
    const backends = backendsOf(
      service,
      podCache.byIndex(namespaceIndex, namespace).filter((pod) => selects(service, pod)),
    )
    await keepEndpoints(options, endpointsOf(service, backends), found, signal)
    await keepSlices(options, planSlices(service, backends, slices), signal)
    return done
  }
  const servicesOf = (pod: Pod): readonly Request[] =>
    serviceCache
      .byIndex(namespaceIndex, pod.metadata.namespace ?? '')
      .filter(hasSelector)
      .filter((service) => selects(service, pod))
      .flatMap(enqueueSelf)
  const ofSlice = ({ metadata }: KubeObject): readonly Request[] => {
    const name = metadata?.labels?.[serviceNameLabel]
    return name === undefined ? [] : [{ namespace: metadata?.namespace ?? '', name }]
  }
  const sources = [
    watchResource(serviceCache, enqueueSelf),
    watchResource(podCache, servicesOf, { predicate: changesEndpoints }),
    watchResource(endpointsCache, enqueueSelf),
    watchResource(sliceCache, ofSlice),
  ]
  return createController({ name: 'endpoints', reconciler, sources, concurrency: 4, clock, log })
}

/** Most updates of pods change nothing that a service shows. */
function changesEndpoints(event: CacheEvent<Pod>): boolean {
  if (event.type !== 'updated') return true
  const part = ({ metadata, spec, status }: Pod): unknown => [
    metadata.labels,
    metadata.deletionTimestamp,
    spec.nodeName,
    status?.podIP,
    status?.phase,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ]
  return !deepEqual(part(event.object), part(event.old))
}

async function keepEndpoints(
  { client }: ControllerOptions,
  wanted: Endpoints,
  found: Endpoints | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (found === undefined)
    return void (await client.create(endpoints, wanted, { signal }).catch(unless(isAlreadyExists, isNamespaceTerminating)))
  const part = ({ metadata, subsets = [] }: Endpoints): unknown => [subsets, metadata.labels ?? {}, metadata.annotations ?? {}]
  if (deepEqual(part(wanted), part(found))) return
  const { labels, annotations = {} } = wanted.metadata
  const metadata = { ...found.metadata, ...(labels === undefined ? {} : { labels }), annotations }
  await client.update(endpoints, { ...wanted, metadata }, { signal }).catch(unless(isNotFound))
}

async function keepSlices({ client }: ControllerOptions, plan: SlicePlan, signal: AbortSignal): Promise<void> {
  for (const slice of plan.create)
    await client.create(endpointSlices, slice, { signal }).catch(unless(isAlreadyExists, isNamespaceTerminating))
  for (const slice of plan.update) await client.update(endpointSlices, slice, { signal }).catch(unless(isNotFound))
  for (const { metadata } of plan.delete) {
    const { namespace = '', name = '', uid = '' } = metadata
    await client.delete(endpointSlices, { namespace, name }, { preconditions: { uid }, signal }).catch(unless(isNotFound))
  }
}

/** Handler for `catch`: these errors mean a concurrent write, which the watch delivers. */
function unless(...harmless: readonly ((error: unknown) => boolean)[]): (error: unknown) => void {
  return (error) => {
    if (!harmless.some((is) => is(error))) throw error
  }
}
