/**
 * Clones VMs by a snapshot and a restore that the clone owns. Entry points: `createCloneController`
 * and `validateClone`.
 */
export { validateClone } from './admission.ts'
export { createCloneController } from './controller.ts'
export { createCloneReconciler } from './reconciler.ts'
