import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { predictedChanges } from '#features/node-agent/index.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import type { ConfiguredState } from '../cluster-state/configured-state.ts'
import { expansionOf, guestOf, startStateOf, stateOf } from './vm-state.ts'

/** Hardware of a VM's next start, as far as settings tell without a QEMU. */
export type NextStart =
  /** Nothing runs that the next start could be compared with. */
  | { readonly kind: 'halted' }
  /** The start revision of the guest is missing, or the next launch cannot be computed. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly changes: readonly HardwareFactChange[] }

/**
 * Compares the hardware of a VM's next start with the current one. Uses the cluster's defaults of
 * the last start.
 */
export async function nextStartOf({ cluster, config }: ConfiguredState, vm: VirtualMachine): Promise<NextStart> {
  const vmi = guestOf(cluster, vm)
  if (vmi?.status?.phase !== 'Running') return { kind: 'halted' }
  const started = await startStateOf(cluster, vm, vmi)
  const [was, is] = [started, await stateOf(cluster, vm)].map((state) => (state === undefined ? undefined : expansionOf(state, config)))
  if (was === undefined || is === undefined || was.conflicts.length + is.conflicts.length > 0) return { kind: 'unknown' }
  const changes = hardwareBetween(was, is, vmi)
  return changes === undefined ? { kind: 'unknown' } : { kind: 'known', changes }
}

/**
 * Returns the guest-visible differences. A guest that is not running may have used either
 * accelerator: then the one with more differences counts. Undefined: one side cannot be computed.
 */
export function hardwareBetween(
  { vmi: was }: Expansion,
  { vmi: is }: Expansion,
  vmi: VirtualMachineInstance | undefined,
): readonly HardwareFactChange[] | undefined {
  // The spec has a versioned machine type: the meaning of the unversioned one on that node is
  // unknown.
  const machineType = /-\d/.test(vmi?.spec.domain.machine?.type ?? '') ? undefined : vmi?.status?.machine?.type
  const accelerator = isTrue(vmi?.status?.conditions, 'SoftwareEmulation') ? 'tcg' : 'kvm'
  return predictedChanges(was, is, { accelerator, ...(machineType === undefined ? {} : { machineType }) })
}
