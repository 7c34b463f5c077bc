import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from '#api/core/v1/endpoints.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { Backend, OpenPort } from './service-pods.ts'

const headlessLabel = 'service.kubernetes.io/headless'
const managedByLabel = 'endpoints.kubernetes.io/managed-by'
const manager = 'endpoint-controller'
/** Kubernetes truncates Endpoints to this number of addresses. */
const mostAddresses = 1000
const overCapacity = 'endpoints.kubernetes.io/over-capacity'

/** Reports whether this controller created the Endpoints. Pure. */
export function isManaged({ metadata }: Endpoints): boolean {
  return metadata.labels?.[managedByLabel] === manager
}

/** The Endpoints object that a service is to have. Pods on their way out are not in it. Pure. */
export function endpointsOf(service: Service, backends: readonly Backend[]): Endpoints {
  const { namespace = '', name = '', labels } = service.metadata
  const lenient = service.spec?.publishNotReadyAddresses === true
  const present = backends.filter(({ terminating }) => lenient || !terminating)
  const isHeadless = service.spec?.clusterIP === 'None'
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      namespace,
      name,
      labels: { ...labels, ...(isHeadless ? { [headlessLabel]: '' } : {}), [managedByLabel]: manager },
      ...(present.length > mostAddresses ? { annotations: { [overCapacity]: 'truncated' } } : {}),
    },
    subsets: subsetsOf(present.slice(0, mostAddresses)),
  }
}

function subsetsOf(backends: readonly Backend[]): EndpointSubset[] {
  const groups = Map.groupBy(backends, ({ ports }) => JSON.stringify(ports))
  return [...groups.values()].map((group) => {
    const addresses = group.filter(({ ready }) => ready).map(addressOf)
    const notReadyAddresses = group.filter(({ ready }) => !ready).map(addressOf)
    const ports = (group[0]?.ports ?? []).map(portOf)
    return {
      ...(addresses.length === 0 ? {} : { addresses }),
      ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
      ...(ports.length === 0 ? {} : { ports }),
    }
  })
}

function addressOf({ address, pod: { metadata, spec } }: Backend): EndpointAddress {
  const { namespace = '', name = '', uid = '' } = metadata
  return {
    ip: address,
    ...(spec.hostname === undefined || spec.subdomain === undefined ? {} : { hostname: spec.hostname }),
    ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

function portOf({ name, port, protocol, appProtocol }: OpenPort): EndpointPort {
  return { ...(name === '' ? {} : { name }), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }
}
