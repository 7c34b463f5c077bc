export { announceRestart } from './announce-restart.ts'
export { createNodeHealthReconciler } from './reconciler.ts'
