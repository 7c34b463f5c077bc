/**
 * Upgrades the ControllerRevisions of VMs to the wanted API version and sharing, and renames all
 * references to them, while guests keep running. Entry point: `createRevisionUpgradeController`.
 * Revisions of snapshots are upgraded by `snapshot`; formats and names are in `instancetype`.
 */
export { createRevisionUpgradeController } from './controller.ts'
export { createRevisionUpgradeReconciler } from './reconciler.ts'
export { createUpgradeReporter } from './report.ts'
