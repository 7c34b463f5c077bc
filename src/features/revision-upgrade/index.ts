export { createRevisionUpgradeReconciler } from './reconciler.ts'
export { createReport } from './report.ts'
