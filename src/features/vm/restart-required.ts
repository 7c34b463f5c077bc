import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { pinnedSpec } from './start-revision.ts'
import { isDeleting, isFinal } from './vmi-state.ts'

/**
 * Whether the guest runs with something else than the VM now asks for. No field can be changed in a running guest yet, so every difference
 * counts. Undefined when it is not known what the guest was started from.
 */
export function needsRestart(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  startRevision: ControllerRevision | undefined,
): boolean | undefined {
  if (vmi === undefined || isFinal(vmi) || isDeleting(vmi)) return false
  const started = startRevision?.data?.['spec'] as VirtualMachineSpec | undefined
  if (started === undefined) return undefined
  const wanted = pinnedSpec(vm)
  return (['template', 'instancetype', 'preference'] as const).some((field) => !semanticEqual(started[field], wanted[field]))
}
