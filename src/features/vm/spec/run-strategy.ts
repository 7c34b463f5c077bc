import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** When a VM should run. */
export type RunStrategy = 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once' | 'WaitAsReceiver'

/** All strategies, for validation. */
export const runStrategies: readonly RunStrategy[] = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once', 'WaitAsReceiver']

/**
 * The VM's strategy; the older `running` means Always or Halted. A VM that says nothing (admission
 * forbids it) stays halted.
 */
export function runStrategyOf(vm: VirtualMachine): RunStrategy {
  const { runStrategy, running } = vm.spec
  if (runStrategy !== undefined) return runStrategy as RunStrategy
  return running === true ? 'Always' : 'Halted'
}
