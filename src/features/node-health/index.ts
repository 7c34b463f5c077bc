export { createNodeHealthReconciler } from './reconciler.ts'
