import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { predictedChanges } from '#features/node-agent/index.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import type { ConfiguredState } from '../cluster-state/configured-state.ts'
import { expansionOf, guestOf, startStateOf, stateOf } from './vm-state.ts'

/**
 * What a VM's next start has for its guest, as far as that can be told by settings, without a QEMU.
 */
export type NextStart =
  /** Nothing runs that the next start could be compared with. */
  | { readonly kind: 'halted' }
  /**
   * Nobody has kept what the guest was started from, or what it would be started from now cannot be
   * built.
   */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly changes: readonly HardwareFactChange[] }

/**
 * What a VM's guest would see after its next start that it does not see now. The cluster's defaults
 * are taken to be those of its last one.
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
 * What is different to a guest. One that is not there now may have run by either accelerator: then
 * that counts which can show more. Undefined: one cannot be built.
 */
export function hardwareBetween(
  { vmi: was }: Expansion,
  { vmi: is }: Expansion,
  vmi: VirtualMachineInstance | undefined,
): readonly HardwareFactChange[] | undefined {
  // Of a guest whose machine was named with its version, nobody knows what the name without version
  // means on its node.
  const machineType = /-\d/.test(vmi?.spec.domain.machine?.type ?? '') ? undefined : vmi?.status?.machine?.type
  const accelerator = isTrue(vmi?.status?.conditions, 'SoftwareEmulation') ? 'tcg' : 'kvm'
  return predictedChanges(was, is, { accelerator, ...(machineType === undefined ? {} : { machineType }) })
}
