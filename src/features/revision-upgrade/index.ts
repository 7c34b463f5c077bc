export { createRevisionUpgradeController } from './controller.ts'
export { createRevisionUpgradeReconciler } from './reconciler.ts'
export { createUpgradeReporter } from './report.ts'
