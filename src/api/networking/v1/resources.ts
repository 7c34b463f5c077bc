import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Ingress, IngressClass } from './ingress.ts'
import type { NetworkPolicy } from './network-policy.ts'

const group = 'networking.k8s.io'
const version = 'v1'

/** `/apis/networking.k8s.io/v1/networkpolicies` */
export const networkPolicies: ResourceType<NetworkPolicy> = {
  group,
  version,
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
}

/** `/apis/networking.k8s.io/v1/ingresses` */
export const ingresses: ResourceType<Ingress> = { group, version, kind: 'Ingress', plural: 'ingresses', namespaced: true }

/** `/apis/networking.k8s.io/v1/ingressclasses` */
export const ingressClasses: ResourceType<IngressClass> = {
  group,
  version,
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
}
