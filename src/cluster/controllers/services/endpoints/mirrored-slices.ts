import { createHash } from 'node:crypto'
import type { EndpointAddress, Endpoints, EndpointSubset } from '#api/core/v1/endpoints.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { Endpoint, EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { type SlicePlan, serviceNameLabel } from './endpoint-slices.ts'

const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
const manager = 'endpointslicemirroring-controller.k8s.io'
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror'
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Plans the EndpointSlices that mirror Endpoints which a user maintains. Endpoints of a service
 * with a selector, or without a service, are not mirrored. Pure.
 */
export function planMirroredSlices(
  service: Service | undefined,
  endpoints: Endpoints | undefined,
  found: readonly EndpointSlice[],
): SlicePlan {
  const own = found.filter(({ metadata }) => metadata.labels?.[managedByLabel] === manager)
  const isOurs = Object.keys(service?.spec?.selector ?? {}).length === 0 && endpoints?.metadata.labels?.[skipLabel] !== 'true'
  const wanted =
    service === undefined || endpoints === undefined || !isOurs
      ? []
      : (endpoints.subsets ?? []).map((subset, index) => sliceOf(endpoints, subset, index))
  const present = new Map(own.map((slice) => [slice.metadata.name, slice]))
  const part = ({ metadata, endpoints: all, ports }: EndpointSlice): unknown => [metadata.labels, all, ports]
  return {
    create: wanted.filter(({ metadata }) => !present.has(metadata.name)),
    update: wanted.flatMap((slice) => {
      const old = present.get(slice.metadata.name)
      return old === undefined || deepEqual(part(old), part(slice)) ? [] : [{ ...slice, metadata: { ...old.metadata, ...slice.metadata } }]
    }),
    delete: own.filter(({ metadata }) => !wanted.some((slice) => slice.metadata.name === metadata.name)),
  }
}

function sliceOf(
  { metadata }: Endpoints,
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  index: number,
): EndpointSlice {
  const { namespace = '', name = '', uid = '', labels, annotations = {} } = metadata
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== lastApplied))
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: sliceName(name, uid, index),
      generateName: `${name}-`,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: manager },
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType: 'IPv4',
    endpoints: [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ],
    ports: ports.map(({ name: portName = '', port, protocol = 'TCP', appProtocol }) => ({
      name: portName,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    })),
  }
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  }
}

/** Derives the name from the subset, so that a crash does not lead to a second slice. */
function sliceName(name: string, uid: string, index: number): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
  const digest = createHash('sha256')
    .update(JSON.stringify([uid, index]))
    .digest()
  return `${name}-${Array.from(digest.subarray(0, 5), (byte) => alphabet[byte % alphabet.length]).join('')}`
}
