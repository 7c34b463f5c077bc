import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { hypervRequirements, isSwitchedOn } from '#features/cluster-config/index.ts'
import { invalidValue, when } from '../cause.ts'

/**
 * Validates that no Hyper-V enlightenment is enabled without those that it depends on, and that
 * they are not both chosen and passed through.
 */
export function validateHyperv({ domain }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const hyperv = domain.features?.hyperv
  if (hyperv === undefined) return []
  const path = `${base}.domain.features.hyperv`
  return [
    ...hypervRequirements
      .filter(([feature, required]) => isSwitchedOn(hyperv[feature]) && !isSwitchedOn(hyperv[required]))
      .map(([feature, required]) =>
        invalidValue(`${path}.${feature}`, `'${path}.${feature}' requires '${path}.${required}', which was disabled.`),
      ),
    ...(domain.cpu?.features ?? []).flatMap(({ name, policy = '' }, index) =>
      when(
        isSwitchedOn(hyperv.evmcs) && name === 'vmx' && policy !== 'require',
        invalidValue(`${base}.domain.cpu.features[${index}].policy`, 'vmx cpu feature has to be set to require policy'),
      ),
    ),
    ...when(
      domain.features?.hypervPassthrough !== undefined,
      invalidValue(
        path,
        'Cannot explicitly set hyperV features if HypervPassthrough is being used. Please use either HyperV or HypervPassthrough.',
      ),
    ),
  ]
}
