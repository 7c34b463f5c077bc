export { completeVmi, validateVmiSpec } from './admission.ts'
export { diskVolume, kernelBootVolume } from './launcher/launcher-volumes.ts'
export { defaultGracePeriodSeconds, launcherPodOf } from './launcher/launcher-pod.ts'
export { activeMigration } from './status/active-migration.ts'
export { launcherSelector, names } from './names.ts'
export { enterPhase, type Phase } from './status/phase.ts'
export {
  hasRequestedSize,
  isPluggingMemory,
  isPluggingSockets,
  hotplugCapacityCondition,
  pendingMemoryCondition,
  pendingSocketsCondition,
  waitsForGuest,
  pluggableCondition,
  pendingSocketsMessage,
  hotplugObstacle,
} from './status/hotplug.ts'
export { isLauncherReady, unschedulableReason } from './launcher/pod-state.ts'
export { podsByVmi, type Ports as VirtualMachineInstancePorts } from './ports.ts'
export { claimNameOf, claimNames, isSharedClaim, storageWait, type StorageWait } from './storage/volume-status.ts'
export { wantsPersistentState } from './storage/persistent-state.ts'
export { validateVmiLabels, validateVmiUpdate } from './update-admission.ts'
export { imageHash } from './launcher/image-hash.ts'
export { createVirtualMachineInstanceReconciler } from './reconciler.ts'
