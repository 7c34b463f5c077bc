export { completeVmi, validateVmiSpec } from './admission.ts'
export { diskVolume, kernelBootVolume } from './launcher-volumes.ts'
export { defaultGracePeriodSeconds, launcherPodOf } from './launcher-pod.ts'
export { migrationInFlight } from './migration-in-flight.ts'
export { launcherSelector, names } from './names.ts'
export { enterPhase, type Phase } from './phase.ts'
export {
  hasItsSize,
  isPluggingMemory,
  isPluggingSockets,
  lackOfRoom,
  missingMemory,
  missingSockets,
  pluggableCondition,
  socketsWait,
  whyNotPluggable,
} from './plugging.ts'
export { hasEnded, isUp, unschedulable } from './pod-state.ts'
export { podsByVmi, type Ports as VirtualMachineInstancePorts } from './ports.ts'
export { claimNameOf, claimNames, isSharedClaim, storageWait, type StorageWait } from './storage.ts'
export { wantsPersistentState } from './persistent-state.ts'
export { validateVmiLabels, validateVmiUpdate } from './update-admission.ts'
export { releaseMark } from './release-mark.ts'
export { createVirtualMachineInstanceReconciler } from './reconciler.ts'
