import type { ServiceSpec } from '#api/core/v1/service.ts'

/** Whether services of this type have an address of their own. */
export function hasClusterAddress({ type }: ServiceSpec): boolean {
  return type !== 'ExternalName'
}

/** Whether clients are to find the pods themselves. */
export function isHeadless({ clusterIP }: ServiceSpec): boolean {
  return clusterIP === 'None'
}

/** Whether services of this type have a port on every node. */
export function hasNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)
}
