/**
 * Runs the controllers of Kubernetes' control plane that an embedded cluster needs: workloads,
 * namespaces, nodes, services, volumes, garbage collection and disruption budgets.
 * {@link createClusterControllers} creates all of them, with the scheduler;
 * {@link createRegistryCatalog} lists the resources that they collect. On a real cluster,
 * kube-controller-manager does this work and none of these run.
 */
export { type ClusterControllersOptions, createClusterControllers } from './cluster-controllers.ts'
export { createRegistryCatalog } from './registry-catalog.ts'
export type { ResourceCatalog } from './resource-catalog.ts'
