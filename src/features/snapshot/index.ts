export { validateRestore, validateSnapshot } from './admission.ts'
export { createSnapshotControllers } from './controllers.ts'
