/**
 * Keeps VirtualMachines as their run strategy wants them: start, stop, restart, live update.
 *
 * `createVirtualMachineController` runs in virt-controller; steps.ts lists the writes of a pass in
 * order. `validateVirtualMachine` is the admission of virt-api. `classify` tells live changes from
 * those that need a restart, for the reconciler and for plans alike.
 *
 * It creates VMIs and never pods, and does not resolve instance types: that is `instancetype`.
 */
export { validateVirtualMachine, type VirtualMachineContext } from './admission.ts'
export { warnOfDumps } from './memory-dump/warn.ts'
export { restoringAnnotation } from './spec/snapshot-lock.ts'
export { classify, restartMessage, type Classification, type Effect, type FieldChange } from './live-update/classify.ts'
export type { Ports as VirtualMachinePorts } from './ports.ts'
export { historyLimitOf } from './revisions/prune.ts'
export { createVirtualMachineController } from './controller.ts'
export { createVirtualMachineReconciler } from './reconciler.ts'
export { runStrategyOf } from './spec/run-strategy.ts'
export { mustExpandSpec } from './revisions/expand-spec.ts'
