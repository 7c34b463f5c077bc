import type { Endpoints } from '#api/core/v1/endpoints.ts'
import type { Service, ServicePort } from '#api/core/v1/service.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import type { ObjectStore } from '../storage/object-store.ts'

/** An address. */
export interface HostPort {
  readonly host: string
  readonly port: number
}

/** Addresses of a service port, or why there are none. */
export type ServiceEndpoints =
  | { readonly kind: 'ready'; readonly addresses: readonly [HostPort, ...HostPort[]] }
  | { readonly kind: 'no-service' }
  | { readonly kind: 'no-port' }
  | { readonly kind: 'no-endpoints' }
  | { readonly kind: 'no-ready-endpoints'; readonly portName: string }

/** Resolves a service port. */
export type EndpointFinder = (namespace: string, name: string, port: number) => ServiceEndpoints

/** Storage keys of services and endpoints. */
export const endpointKeys = { services: '/services', endpoints: '/endpoints', slices: 'discovery.k8s.io/endpointslices' } as const

/** Label that assigns a slice to its service. */
export const serviceNameLabel = 'kubernetes.io/service-name'

const bySlice = 'service'

/**
 * Resolves services from memory: ExternalName, EndpointSlices, and Endpoints without slices.
 * Returns pod addresses, as there is no service proxy.
 */
export function createEndpointFinder(store: ObjectStore): EndpointFinder {
  store.addIndex(endpointKeys.slices, bySlice, ({ metadata }) => {
    const name = metadata?.labels?.[serviceNameLabel]
    return name === undefined ? [] : [`${metadata?.namespace ?? ''}/${name}`]
  })

  return (namespace, name, port) => {
    const service = store.get(endpointKeys.services, namespace, name)?.object as Service | undefined
    if (service === undefined) return { kind: 'no-service' }
    const { type = 'ClusterIP', externalName = '', ports } = service.spec ?? {}
    if (type === 'ExternalName' && externalName !== '') return { kind: 'ready', addresses: [{ host: externalName, port }] }
    const servicePort = ports?.find((candidate) => candidate.port === port)
    if (servicePort === undefined) return { kind: 'no-port' }
    const slices = store.byIndex(endpointKeys.slices, bySlice, `${namespace}/${name}`).map(({ object }) => object as EndpointSlice)
    const endpoints = store.get(endpointKeys.endpoints, namespace, name)?.object as Endpoints | undefined
    if (slices.length === 0 && endpoints === undefined) return { kind: 'no-endpoints' }
    const [first, ...more] =
      slices.length > 0 ? slices.flatMap((slice) => ofSlice(slice, servicePort)) : ofEndpoints(endpoints, servicePort)
    if (first === undefined) return { kind: 'no-ready-endpoints', portName: servicePort.name ?? '' }
    return { kind: 'ready', addresses: [first, ...more] }
  }
}

function ofSlice({ endpoints, ports }: EndpointSlice, { name = '' }: ServicePort): HostPort[] {
  const port = ports?.find((candidate) => (candidate.name ?? '') === name)?.port
  if (port === undefined) return []
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses.slice(0, 1).map((host) => ({ host, port })))
}

function ofEndpoints(endpoints: Endpoints | undefined, { name = '' }: ServicePort): HostPort[] {
  return (endpoints?.subsets ?? []).flatMap(({ addresses, ports }) => {
    const port = ports?.find((candidate) => (candidate.name ?? '') === name)?.port
    return port === undefined ? [] : (addresses ?? []).map(({ ip }) => ({ host: ip, port }))
  })
}
