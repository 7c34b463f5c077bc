export { validateVirtualMachine, type VirtualMachineContext } from './admission.ts'
export type { Ports as VirtualMachinePorts } from './ports.ts'
export { createVirtualMachineReconciler } from './reconciler.ts'
export { ownerUids, revisionsByOwner } from './start-revision.ts'
