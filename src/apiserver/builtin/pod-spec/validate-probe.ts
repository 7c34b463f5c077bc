import type { Probe } from '#api/core/v1/container.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { notNegative, oneOf, portNumber, portNumberOrName, requiredField } from '../checks/field-checks.ts'

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const

/**
 * Validates a probe. Liveness and startup probes require a success threshold of 1 (`successOnce`).
 */
export function validateProbe(probe: Probe | undefined, field: string, { successOnce }: { successOnce: boolean }): FieldError[] {
  if (probe === undefined) return []
  const { successThreshold } = probe
  return [
    ...validateHandler(probe, field),
    ...notNegative(`${field}.initialDelaySeconds`, probe.initialDelaySeconds),
    ...notNegative(`${field}.timeoutSeconds`, probe.timeoutSeconds),
    ...notNegative(`${field}.periodSeconds`, probe.periodSeconds),
    ...notNegative(`${field}.successThreshold`, successThreshold),
    ...notNegative(`${field}.failureThreshold`, probe.failureThreshold),
    ...(successOnce && successThreshold !== undefined && successThreshold > 1
      ? [invalidValue(`${field}.successThreshold`, successThreshold, 'must be 1')]
      : []),
  ]
}

function validateHandler(probe: Probe, field: string): FieldError[] {
  const present = handlers.filter((handler) => probe[handler] !== undefined)
  const { exec, httpGet, tcpSocket, grpc } = probe
  return [
    ...(present.length === 0 ? [requiredField(field, 'must specify a handler type')] : []),
    ...present.slice(1).map((handler) => forbiddenField(`${field}.${handler}`, 'may not specify more than 1 handler type')),
    ...(exec !== undefined && (exec.command ?? []).length === 0 ? [requiredField(`${field}.exec.command`)] : []),
    ...portNumberOrName(`${field}.httpGet.port`, httpGet?.port),
    ...oneOf(`${field}.httpGet.scheme`, httpGet?.scheme, ['HTTP', 'HTTPS']),
    ...portNumberOrName(`${field}.tcpSocket.port`, tcpSocket?.port),
    ...(grpc === undefined ? [] : portNumber(`${field}.grpc.port`, grpc.port)),
  ]
}
