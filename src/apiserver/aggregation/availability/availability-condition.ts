import type { APIServiceCondition } from '#api/apiregistration/v1/api-service.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { ServiceEndpoints } from '#apiserver/services/endpoint-finder.ts'
import type { RemoteApi } from '../api-services/api-services.ts'

function unavailable(reason: string, message: string): APIServiceCondition {
  return { type: 'Available', status: 'False', reason, message }
}

/** Returns the condition for a service that cannot be called; undefined when it can. */
export function serviceProblem({ service }: RemoteApi, found: ServiceEndpoints): APIServiceCondition | undefined {
  const where = `service/${service.name} in ${quote(service.namespace)}`
  switch (found.kind) {
    case 'ready':
      return undefined
    case 'no-service':
      return unavailable('ServiceNotFound', `${where} is not present`)
    case 'no-port':
      return unavailable('ServicePortError', `${where} is not listening on port ${service.port}`)
    case 'no-endpoints':
      return unavailable('EndpointsNotFound', `cannot find endpointslices for ${where}`)
    case 'no-ready-endpoints':
      return unavailable('MissingEndpoints', `endpointslices for ${where} have no addresses with port name ${quote(found.portName)}`)
  }
}

/** Returns the condition after a probe. `failure`: why the probe failed. */
export function probeCondition(failure: string | undefined): APIServiceCondition {
  if (failure !== undefined) return unavailable('FailedDiscoveryCheck', failure)
  return { type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' }
}
