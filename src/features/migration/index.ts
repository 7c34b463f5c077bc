/**
 * Runs VirtualMachineInstanceMigrations: queue, target pod, hand-over to the node agents, clean-up.
 *
 * `createMigrationController` runs in virt-controller and limits parallel migrations; the admission
 * functions validate migrations and policies.
 *
 * It does not decide which guests move: users, `evacuation` and `workload-update` create
 * migrations. It does not transfer guests: that is `node-agent`.
 */
export { completeMigration, validateMigration, validateMigrationUpdate, validatePolicy } from './admission.ts'
export { createMigrationController } from './controller.ts'
