import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateMemorySize } from './memory.ts'
import { validateAvailable } from './unavailable.ts'

/**
 * Returns causes for what the spec lacks or asks for so that no node can start a guest of it: memory,
 * or hardware that nodes do not have. It may still be completed before a VM is started.
 */
export function validateStartable(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  return [...validateMemorySize(spec, base), ...validateAvailable(spec, base)]
}
