export { validatePatches, validateRestore, validateSnapshot, validateTargetName } from './admission.ts'
export { createSnapshotControllers } from './controllers.ts'
export { contentsByRevision, createSnapshotRevisionReconciler } from './upgrade/reconciler.ts'
export { isUnderWay } from './active-restore.ts'
