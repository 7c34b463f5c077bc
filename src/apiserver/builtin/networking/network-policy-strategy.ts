import type { NetworkPolicy, NetworkPolicyPort, NetworkPolicySpec } from '#api/networking/v1/network-policy.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { ipv6Blocks, validateNetworkPolicySpec } from './network-policy-validation.ts'

/** Strategy of NetworkPolicies. What older releases have stored unvalidated can be kept. */
export const networkPolicyStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as NetworkPolicy),
  prepareForUpdate: (object) => withDefaults(object as NetworkPolicy),
  validate: (object, old) => (isUnchanged(object, old) ? [] : validateNetworkPolicySpec(specOf(object))),
  warnings: (object, old) =>
    isUnchanged(object, old)
      ? []
      : ipv6Blocks(specOf(object)).map(([field, cidr]) => `${field}: the network of guests has no IPv6: "${cidr}" matches nothing`),
}

function specOf(object: KubeObject): NetworkPolicySpec {
  return (object as NetworkPolicy).spec ?? { podSelector: {} }
}

function isUnchanged(object: KubeObject, old: KubeObject | undefined): boolean {
  return old !== undefined && deepEqual(specOf(object), specOf(old))
}

function withDefaults(policy: NetworkPolicy): NetworkPolicy {
  const spec = policy.spec ?? { podSelector: {} }
  const { policyTypes = [], ingress, egress } = spec
  const types = (egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
  return {
    ...policy,
    spec: {
      ...spec,
      podSelector: spec.podSelector ?? {},
      ...(ingress === undefined ? {} : { ingress: ingress.map(withProtocols) }),
      ...(egress === undefined ? {} : { egress: egress.map(withProtocols) }),
      policyTypes: policyTypes.length > 0 ? policyTypes : types,
    },
  }
}

function withProtocols<T extends { ports?: NetworkPolicyPort[] }>(rule: T): T {
  if (rule.ports === undefined) return rule
  return { ...rule, ports: rule.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) }
}
