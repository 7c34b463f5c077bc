import type { VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Phases of a VMI. */
export type Phase = 'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

/** Returns the status fields for another phase; empty when the VMI is in that phase. */
export function enterPhase(
  status: VirtualMachineInstanceStatus | undefined,
  phase: Phase,
  now: string,
): Pick<VirtualMachineInstanceStatus, 'phase' | 'phaseTransitionTimestamps'> {
  if (status?.phase === phase) return {}
  return { phase, phaseTransitionTimestamps: [...(status?.phaseTransitionTimestamps ?? []), { phase, phaseTransitionTimestamp: now }] }
}
