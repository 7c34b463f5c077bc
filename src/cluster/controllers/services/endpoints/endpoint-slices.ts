import { createHash } from 'node:crypto'
import type { Service } from '#api/core/v1/service.ts'
import type { Endpoint, EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { Backend, OpenPort } from './service-pods.ts'

/** Names the service that a slice belongs to. */
export const serviceNameLabel = 'kubernetes.io/service-name'
const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
const manager = 'endpointslice-controller.k8s.io'
const headlessLabel = 'service.kubernetes.io/headless'
const endpointsPerSlice = 100

/** Writes that bring the slices of a service up to date. */
export interface SlicePlan {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly delete: readonly EndpointSlice[]
}

/**
 * Compares what a service should have with what it has. Slices of other managers are left alone.
 * Pure.
 */
export function planSlices(service: Service, backends: readonly Backend[], found: readonly EndpointSlice[]): SlicePlan {
  const own = found.filter(({ metadata }) => metadata.labels?.[managedByLabel] === manager)
  const wanted = new Map(slicesOf(service, backends).map((slice) => [slice.metadata.name ?? '', slice]))
  const present = new Map(own.map((slice) => [slice.metadata.name ?? '', slice]))
  return {
    create: [...wanted].filter(([name]) => !present.has(name)).map(([, slice]) => slice),
    update: [...wanted].flatMap(([name, slice]) => {
      const old = present.get(name)
      return old === undefined || isSame(slice, old) ? [] : [{ ...slice, metadata: { ...old.metadata, ...slice.metadata } }]
    }),
    delete: own.filter(({ metadata }) => !wanted.has(metadata.name ?? '')),
  }
}

function isSame(wanted: EndpointSlice, old: EndpointSlice): boolean {
  const part = (slice: EndpointSlice): unknown => [slice.endpoints ?? [], slice.ports ?? [], slice.metadata.labels ?? {}]
  return deepEqual(part(wanted), part(old))
}

function slicesOf(service: Service, backends: readonly Backend[]): readonly EndpointSlice[] {
  const groups = [...Map.groupBy(backends, ({ ports }) => JSON.stringify(ports))]
  // A service without endpoints has one empty slice, which shows that it was reconciled.
  if (groups.length === 0) return [sliceOf(service, 'none', 0, [], [])]
  return groups.flatMap(([key, group]) =>
    chunks(group, endpointsPerSlice).map((part, index) => sliceOf(service, key, index, group[0]?.ports ?? [], part)),
  )
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}

function sliceOf(service: Service, key: string, index: number, ports: readonly OpenPort[], part: readonly Backend[]): EndpointSlice {
  const { namespace = '', name = '', uid = '', labels } = service.metadata
  const isHeadless = service.spec?.clusterIP === 'None'
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: sliceName(name, uid, key, index),
      generateName: `${name}-`,
      labels: {
        ...labels,
        ...(isHeadless ? { [headlessLabel]: '' } : {}),
        [serviceNameLabel]: name,
        [managedByLabel]: manager,
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType: 'IPv4',
    endpoints: part.map(endpointOf),
    ports: ports.map(({ name: portName, port, protocol, appProtocol }) => ({
      name: portName,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    })),
  }
}

/**
 * Derives the name from the content of the slice: a controller that restarts, or reads an old
 * cache, does not create a second one.
 */
function sliceName(service: string, uid: string, key: string, index: number): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
  const digest = createHash('sha256')
    .update(JSON.stringify([uid, key, index]))
    .digest()
  return `${service}-${Array.from(digest.subarray(0, 5), (byte) => alphabet[byte % alphabet.length]).join('')}`
}

function endpointOf({ address, pod: { metadata, spec }, ready, serving, terminating }: Backend): Endpoint {
  const { namespace = '', name = '', uid = '' } = metadata
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(spec.hostname === undefined || spec.subdomain === undefined ? {} : { hostname: spec.hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
  }
}
