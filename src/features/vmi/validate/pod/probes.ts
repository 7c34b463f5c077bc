import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, requiredValue, when } from '../cause.ts'

/** Validates that each probe has one handler, and the pod network that the handler needs. */
export function validateProbes(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const hasPodNetwork = spec.networks?.some(({ pod }) => pod !== undefined) === true
  return (['readinessProbe', 'livenessProbe'] as const).flatMap((name) => {
    const probe = spec[name]
    if (probe === undefined) return []
    const path = `${base}.${name}`
    const { httpGet, tcpSocket, exec, guestAgentPing } = probe
    const handlers = [httpGet, tcpSocket, exec, guestAgentPing].filter((handler) => handler !== undefined).length
    const all = `${path}.tcpSocket, ${path}.exec or ${path}.httpGet`
    return [
      ...when(handlers > 1, invalidValue(path, `${path} must have exactly one probe type set`)),
      ...when(handlers === 0, requiredValue(path, `either ${all} must be set if a ${path} is specified`)),
      ...Object.entries({ httpGet, tcpSocket }).flatMap(([kind, handler]) =>
        when(
          handler !== undefined && !hasPodNetwork,
          invalidValue(`${path}.${kind}`, `${path}.${kind} is only allowed if the Pod Network is attached`),
        ),
      ),
    ]
  })
}
