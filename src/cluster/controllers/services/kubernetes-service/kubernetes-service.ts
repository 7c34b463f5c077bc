import type { Endpoints } from '#api/core/v1/endpoints.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'

const address = '127.0.0.1'
const metadata = { namespace: 'default', name: 'kubernetes' }

/** The service `kubernetes`, and the endpoints at the API server's real address. Pure. */
export function kubernetesService(port: number): { service: Service; endpoints: Endpoints; slice: EndpointSlice } {
  return {
    service: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443, targetPort: port, protocol: 'TCP' }] },
    },
    endpoints: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    },
    slice: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
  }
}
