/**
 * KubeVirt's metrics of VMs, VMIs and snapshots, which its dashboards start from.
 *
 * `defineGuestMetrics` runs in virt-controller, and reads them from its caches at each scrape; only
 * the times of phases are observed as they change. `defineCreationMetrics` counts in virt-api. The
 * load of guests is measured by the node agents, and migrations are counted by `migration`.
 */
export { defineCreationMetrics, type OnCreated } from './created.ts'
export { defineGuestMetrics } from './metrics.ts'
