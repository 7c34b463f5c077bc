import type { ServiceSpec } from '#api/core/v1/service.ts'

/** Reports whether services of this type have an address of their own. */
export function hasClusterAddress({ type }: ServiceSpec): boolean {
  return type !== 'ExternalName'
}

/** Reports whether the service is headless, so that clients address the pods directly. */
export function isHeadless({ clusterIP }: ServiceSpec): boolean {
  return clusterIP === 'None'
}

/** Reports whether services of this type have a port on every node. */
export function hasNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)
}
