import type { Service } from '#api/core/v1/service.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import type { ServiceResolver } from './admission/webhooks/webhook-caller.ts'
import type { ObjectStore } from './storage/object-store.ts'

const servicesKey = '/services'
const slicesKey = 'discovery.k8s.io/endpointslices'
const serviceIndex = 'service-resolver.service'
const serviceLabel = 'kubernetes.io/service-name'

/**
 * Finds where a service listens, for requests that this server makes itself: there is no proxy, so it is the first ready endpoint, or what an
 * ExternalName stands for. Undefined when there is no such service or port, or nobody is ready.
 */
export function createServiceResolver(store: ObjectStore): ServiceResolver {
  store.addIndex(slicesKey, serviceIndex, ({ metadata }) => {
    const service = metadata?.labels?.[serviceLabel]
    return service === undefined ? [] : [`${metadata?.namespace ?? ''}/${service}`]
  })
  return (namespace, name, port) => {
    const { spec } = (store.get(servicesKey, namespace, name)?.object ?? {}) as Partial<Service>
    if (spec === undefined) return undefined
    if (spec.type === 'ExternalName') return spec.externalName === undefined ? undefined : { host: spec.externalName, port }
    const wanted = spec.ports?.find((one) => one.port === port)
    if (wanted === undefined) return undefined
    const slices = store.byIndex(slicesKey, serviceIndex, `${namespace}/${name}`).map(({ object }) => object as EndpointSlice)
    for (const slice of slices) {
      const open = slice.ports?.find((one) => (one.name ?? '') === (wanted.name ?? ''))?.port
      const host = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false)?.addresses[0]
      if (open !== undefined && host !== undefined) return { host, port: open }
    }
    return undefined
  }
}
