import type { StatusCause } from '#apimachinery/errors.ts'
import { invalidValue as invalid, requiredValue as required, unsupportedValue as unsupported } from '#apimachinery/field-messages.ts'
import { validateQualifiedName } from '#apimachinery/names.ts'
import { validateAffinity } from '#api/usage/affinity-rules.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

const actions: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway']

/**
 * Validates where the launcher's pod may run, by the rules of pods. KubeVirt reports all of them as
 * invalid values, with the field in the message.
 */
export function validateScheduling(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const faults = [
    ...(spec.affinity === undefined ? [] : validateAffinity(spec.affinity, `${base}.affinity`)),
    ...validateSpread(spec, `${base}.topologySpreadConstraints`),
  ]
  return faults.map(({ field, message }) => ({ reason: 'FieldValueInvalid', message: `${field}: ${message}`, field }))
}

function validateSpread(
  { topologySpreadConstraints: constraints = [] }: VirtualMachineInstanceSpec,
  list: string,
): ReturnType<typeof validateAffinity> {
  return constraints.flatMap(({ maxSkew, topologyKey, whenUnsatisfiable }, index) => {
    const path = `${list}[${index}]`
    return [
      ...(maxSkew > 0 ? [] : [invalid(`${path}.maxSkew`, maxSkew, 'must be greater than zero')]),
      ...(topologyKey === ''
        ? [required(`${path}.topologyKey`, 'can not be empty')]
        : validateQualifiedName(topologyKey).map((why) => invalid(`${path}.topologyKey`, topologyKey, why))),
      ...(actions.includes(whenUnsatisfiable) ? [] : [unsupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, [...actions])]),
    ]
  })
}
