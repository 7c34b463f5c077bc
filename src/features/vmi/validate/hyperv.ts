import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { hypervRequirements, isSwitchedOn } from '#features/cluster-config/index.ts'
import { invalidValue } from './cause.ts'

/** Validates that no Hyper-V enlightenment is enabled without those that it depends on. */
export function validateHyperv(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const hyperv = spec.domain.features?.hyperv
  if (hyperv === undefined) return []
  const path = `${base}.domain.features.hyperv`
  return hypervRequirements
    .filter(([feature, required]) => isSwitchedOn(hyperv[feature]) && !isSwitchedOn(hyperv[required]))
    .map(([feature, required]) =>
      invalidValue(`${path}.${feature}`, `'${path}.${feature}' requires '${path}.${required}', which was disabled.`),
    )
}
