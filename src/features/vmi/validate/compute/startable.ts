import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateMemorySize } from './memory.ts'
import { validateAvailable } from './unavailable.ts'

/**
 * Returns causes for what keeps every node from starting a guest of the spec: missing memory, or
 * hardware that nodes do not have. A VM may still be completed before it is started.
 */
export function validateStartable(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  return [...validateMemorySize(spec, base), ...validateAvailable(spec, base)]
}
