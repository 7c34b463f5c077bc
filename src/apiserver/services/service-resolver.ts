import type { ServiceResolver } from '../admission/webhooks/webhook-caller.ts'
import type { EndpointFinder } from './endpoint-finder.ts'

/**
 * Resolves a service for the server's own requests: the first ready endpoint, or the ExternalName.
 * Undefined when the service or port does not exist or has no ready endpoint.
 */
export function createServiceResolver(find: EndpointFinder): ServiceResolver {
  return (namespace, name, port) => {
    const found = find(namespace, name, port)
    return found.kind === 'ready' ? found.addresses[0] : undefined
  }
}
