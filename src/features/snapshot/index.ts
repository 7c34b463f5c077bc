/**
 * Takes snapshots of VMs and restores them with the hardware and the disks that they had, and
 * upgrades the ControllerRevisions of snapshots.
 *
 * `createSnapshotControllers` runs one controller for each: `take` locks the VM and captures it in
 * the content of a snapshot, `restore` gives a VM its spec and revisions back, `upgrade` replaces
 * revisions. `locks` has what all of them hold on VMs, and releases what was abandoned.
 * `validateSnapshot` and `validateRestore` are the admission.
 *
 * `volumes` decides how the content of disks is backed up. It is copied by the node agent
 * (`#features/node-agent`, disk-copy) or by workers of DataVolumes.
 */
export { validatePatches, validateRestore, validateSnapshot, validateTargetName } from './admission.ts'
export { snapshotCachesIn } from './caches.ts'
export { snapshotContentFor } from './capture/content.ts'
export { contentName } from './names.ts'
export { createSnapshotControllers } from './controllers.ts'
export { isRestoreActive } from './restore/active-restore.ts'
export { createRestoreReconciler } from './restore/reconciler.ts'
export { createSnapshotReconciler } from './take/reconciler.ts'
export { createSnapshotRevisionReconciler } from './upgrade/reconciler.ts'
export { filledClaimSpec, leastSizeOf, readVolumeSnapshot } from './volumes/filled-claim.ts'
