import type { Service, ServicePort, ServiceSpec } from '#api/core/v1/service.ts'
import { hasClusterAddress, hasNodePorts } from '#api/core/v1/service-type.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { validateService } from './service-validation.ts'

const affinityTimeoutSeconds = 10_800

/** Strategy of services. Addresses are assigned in admission, which sees all services. */
export const serviceStrategy: Strategy = {
  prepareForCreate(object) {
    const service = withDefaults(object as Service)
    const created: Service = { ...service, status: { loadBalancer: {} } }
    return created
  },
  prepareForUpdate: (object, old) => withDefaults(keepAddresses(object as Service, old as Service)),
  validate: (object, old) => validateService(object as Service, old as Service | undefined),
}

function withDefaults(service: Service): Service {
  const { spec } = service
  if (spec === undefined) return service
  const type = spec.type ?? 'ClusterIP'
  const sessionAffinity = spec.sessionAffinity ?? 'None'
  const clusterIP = spec.clusterIP ?? spec.clusterIPs?.[0]
  return {
    ...service,
    spec: {
      ...spec,
      type,
      sessionAffinity,
      ...(sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig === undefined
        ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: affinityTimeoutSeconds } } }
        : {}),
      ...(spec.ports === undefined ? {} : { ports: spec.ports.map(withPortDefaults) }),
      ...(clusterIP === undefined || clusterIP === '' ? {} : { clusterIP, clusterIPs: spec.clusterIPs ?? [clusterIP] }),
      ...(type === 'ExternalName' ? {} : inClusterDefaults(spec)),
      ...(type === 'NodePort' || type === 'LoadBalancer' ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster' } : {}),
      ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true } : {}),
    },
  }
}

/** Defaults IP families: the loopback network is IPv4 only. */
function inClusterDefaults(spec: ServiceSpec): Partial<ServiceSpec> {
  return {
    ipFamilies: spec.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
    internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster',
  }
}

function withPortDefaults(port: ServicePort): ServicePort {
  // Go clients send 0 for an unset port.
  const { targetPort = 0 } = port
  return { ...port, protocol: port.protocol ?? 'TCP', targetPort: targetPort === 0 || targetPort === '' ? port.port : targetPort }
}

/**
 * Keeps assigned addresses and ports on a replace without them; a change of the type releases them.
 */
function keepAddresses(service: Service, old: Service): Service {
  const { spec } = service
  const before = old.spec
  if (spec === undefined || before === undefined) return service
  if (!hasClusterAddress({ ...spec, type: spec.type ?? 'ClusterIP' }))
    return hasClusterAddress(before) ? withoutAddress(service, { ...spec, ...keptNodePorts(spec, before) }, before) : service
  if (!hasClusterAddress(before)) return service
  const kept = spec.clusterIP === undefined && spec.clusterIPs === undefined ? addressOf(before) : {}
  return { ...service, spec: { ...spec, ...kept, ...keptNodePorts(spec, before) } }
}

function addressOf({ clusterIP, clusterIPs }: ServiceSpec): Partial<ServiceSpec> {
  return { ...(clusterIP === undefined ? {} : { clusterIP }), ...(clusterIPs === undefined ? {} : { clusterIPs }) }
}

function withoutAddress(service: Service, spec: ServiceSpec, before: ServiceSpec): Service {
  if (spec.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== before.clusterIP) return service
  const {
    clusterIP: _ip,
    clusterIPs: _ips,
    ipFamilies: _families,
    ipFamilyPolicy: _policy,
    internalTrafficPolicy: _traffic,
    ...rest
  } = spec
  return { ...service, spec: rest }
}

function keptNodePorts(spec: ServiceSpec, before: ServiceSpec): Partial<ServiceSpec> {
  if (spec.ports === undefined || !hasNodePorts(before)) return {}
  if (hasNodePorts(spec)) return { ports: spec.ports.map((port) => withOldNodePort(port, before)) }
  return { ports: spec.ports.map((port) => (isOldNodePort(port, before) ? withoutNodePort(port) : port)) }
}

function withOldNodePort(port: ServicePort, before: ServiceSpec): ServicePort {
  if ((port.nodePort ?? 0) !== 0) return port
  const nodePort = samePortOf(port, before)?.nodePort
  return nodePort === undefined ? port : { ...port, nodePort }
}

function isOldNodePort(port: ServicePort, before: ServiceSpec): boolean {
  return port.nodePort !== undefined && samePortOf(port, before)?.nodePort === port.nodePort
}

function withoutNodePort(port: ServicePort): ServicePort {
  const { nodePort: _, ...rest } = port
  return rest
}

function samePortOf(port: ServicePort, { ports = [] }: ServiceSpec): ServicePort | undefined {
  return ports.find((other) => other.port === port.port && (other.protocol ?? 'TCP') === (port.protocol ?? 'TCP'))
}
