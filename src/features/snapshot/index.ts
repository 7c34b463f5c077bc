/**
 * Takes snapshots of VMs and restores them with the hardware that they had, and upgrades the
 * ControllerRevisions of snapshots. Entry point: `createSnapshotControllers`; requests are
 * validated by `validateSnapshot` and `validateRestore`. It does not copy the contents of disks.
 */
export { validatePatches, validateRestore, validateSnapshot, validateTargetName } from './admission.ts'
export { snapshotCachesIn } from './caches.ts'
export { createSnapshotControllers } from './controllers.ts'
export { createSnapshotReconciler } from './reconciler.ts'
export { createRestoreReconciler } from './restore/reconciler.ts'
export { createSnapshotRevisionReconciler } from './upgrade/reconciler.ts'
export { isRestoreActive } from './active-restore.ts'
