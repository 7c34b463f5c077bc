import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** KubeVirt's run strategies of a VM. */
export type RunStrategy = 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once' | 'WaitAsReceiver'

/** All strategies, for validation. */
export const runStrategies: readonly RunStrategy[] = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once', 'WaitAsReceiver']

/**
 * Returns the VM's strategy. The deprecated `running` means Always or Halted; without either, which
 * admission refuses, the VM stays halted.
 */
export function runStrategyOf(vm: VirtualMachine): RunStrategy {
  const { runStrategy, running } = vm.spec
  if (runStrategy !== undefined) return runStrategy as RunStrategy
  return running === true ? 'Always' : 'Halted'
}
