/**
 * Serves the aggregated API `subresources.kubevirt.io`: start, stop, restart, migrate, expand-spec,
 * object graphs, and console, display, USB devices and reset of guests, which the node agent
 * serves: `createAgentDialer`.
 *
 * `subresourcesGroup` is the group that virt-api serves; `subresourcesApiServices` registers it.
 * Handlers record requests in the VM's status or create objects, and controllers act on them.
 */
export { subresourcesApiServices, type SubresourcesService } from './api-services.ts'
export { listSubresources, subresourcesGroup, type SubresourcesOptions } from './group.ts'
export { createAgentDialer } from './agent-dialer.ts'
export { createConnectionMetrics } from './connection-metrics.ts'
