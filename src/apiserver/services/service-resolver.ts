import type { ServiceResolver } from '../admission/webhooks/webhook-caller.ts'
import type { EndpointFinder } from './endpoint-finder.ts'

/**
 * Finds where a service listens, for requests that this server makes itself: there is no proxy, so
 * it is the first ready endpoint, or what an ExternalName stands for. Undefined when there is no
 * such service or port, or nobody is ready.
 */
export function createServiceResolver(find: EndpointFinder): ServiceResolver {
  return (namespace, name, port) => {
    const found = find(namespace, name, port)
    return found.kind === 'ready' ? found.addresses[0] : undefined
  }
}
