/**
 * Creates launcher pods for VirtualMachineInstances and hands them over to node agents.
 *
 * `createVirtualMachineInstanceController` runs in virt-controller until a VMI is Scheduled.
 * `launcherPodOf` builds the pod, also for targets of migrations; `validateVmiSpec` and
 * `completeVmi` are the admission. Names of labels and helpers for VMI conditions are here, too.
 *
 * It does not start QEMU: that is `node-agent`.
 */
export { admitVmi, completeVmi, validateVmiSpec } from './admission.ts'
export { validateStartable } from './validate/compute/startable.ts'
export { validateAvailable } from './validate/compute/unavailable.ts'
export { validateAnnotations, warnOfAnnotations } from './validate/metadata.ts'
export { credentialVolume, diskVolume, kernelBootVolume, networkDataVolume, userDataVolume } from './launcher/launcher-volumes.ts'
export type { ObjectVolume } from './launcher/object-volumes.ts'
export { canMountImages, createImageVolumeProbe } from './launcher/image-volumes.ts'
export { defaultGracePeriodSeconds, hostnameOf, launcherPodOf } from './launcher/launcher-pod.ts'
export { activeMigration } from './status/active-migration.ts'
export { attachmentPodName, attachmentPodOf, attachmentSelector, isSamePod } from './attachment/attachment-pod.ts'
export { isChangeableDrive, isHotpluggable, isPluggedDisk } from './attachment/hotplug-volumes.ts'
export { dumpPhases, launcherSelector, names } from './names.ts'
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
  type MemoryWait,
  hotplugObstacle,
} from './status/hotplug.ts'
export { podResizeObstacle } from './resize/resized-condition.ts'
export { computeContainer } from './resize/pod-resize.ts'
export { memoryOverhead } from './launcher/launcher-resources.ts'
export { isLauncherReady, unschedulableReason } from './launcher/pod-state.ts'
export { launchersIn, podsByVmi, vmiUids } from './launcher/launcher-cache.ts'
export type { Ports as VirtualMachineInstancePorts } from './ports.ts'
export { claimNameOf, defaultOverhead, isSharedClaim, storageWait, type StorageWait } from './storage/volume-status.ts'
export { persistentStateClaimName, wantsPersistentState } from './storage/persistent-state.ts'
export { validateVmiUpdate } from './update-admission.ts'
export { imageHash } from './launcher/image-hash.ts'
export { countSyncs } from './sync-metrics.ts'
export { createVirtualMachineInstanceController } from './controller.ts'
