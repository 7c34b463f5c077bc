export { validatePatches, validateRestore, validateSnapshot, validateTargetName } from './admission.ts'
export { createSnapshotControllers } from './controllers.ts'
export { contentsByRevision, createSnapshotRevisionReconciler } from './upgrade/reconciler.ts'
export { isRestoreActive } from './active-restore.ts'
