import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, unsupportedValue } from './cause.ts'

const inputBuses: readonly string[] = ['virtio', 'usb']
const inputTypes: readonly string[] = ['tablet', 'keyboard']
const panicModels: readonly string[] = ['hyperv', 'isa', 'pvpanic']
const featurePolicies: readonly string[] = ['force', 'require', 'optional', 'disable', 'forbid']

/**
 * Validates models and buses of devices and policies of CPU features. An unknown value would be
 * replaced by a default, or fail each start.
 */
export function validateDevices({ domain }: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const { inputs = [], panicDevices = [] } = domain.devices
  const path = `${base}.domain.devices`
  return [
    ...inputs.flatMap(({ bus, type }, index) => [
      ...(isKnown(bus, inputBuses) ? [] : [invalidValue(`${path}.inputs[${index}].bus`, 'Input device can have only virtio or usb bus.')]),
      ...(isKnown(type, inputTypes)
        ? []
        : [invalidValue(`${path}.inputs[${index}].type`, 'Input device can have only tablet or keyboard type.')]),
    ]),
    ...panicDevices.flatMap(({ model }, index) =>
      isKnown(model, panicModels)
        ? []
        : [
            invalidValue(
              `${path}.panicDevices[${index}].model`,
              `invalid PanicDeviceModel(${model}), must be one of ${panicModels.join(', ')}`,
            ),
          ],
    ),
    ...(domain.cpu?.features ?? []).flatMap(({ name, policy }, index) =>
      isKnown(policy, featurePolicies)
        ? []
        : [
            unsupportedValue(
              `${base}.domain.cpu.features[${index}].policy`,
              `CPU feature ${name} uses policy ${policy} that is not supported.`,
            ),
          ],
    ),
  ]
}

function isKnown(value: string | undefined, known: readonly string[]): boolean {
  return value === undefined || value === '' || known.includes(value)
}
