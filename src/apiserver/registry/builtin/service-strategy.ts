import type { Service } from '#api/core/v1/service.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'

/** Completes a service. There is no proxy, so no cluster addresses are given out: a service is a name for its endpoints. */
export const serviceStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as Service),
  prepareForUpdate: (object) => withDefaults(object as Service),
}

function withDefaults(service: Service): Service {
  const { spec } = service
  if (spec === undefined) return service
  return {
    ...service,
    spec: {
      ...spec,
      type: spec.type ?? 'ClusterIP',
      sessionAffinity: spec.sessionAffinity ?? 'None',
      ...(spec.ports === undefined
        ? {}
        : { ports: spec.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP', targetPort: port.targetPort ?? port.port })) }),
    },
  }
}
