/**
 * Keeps a PodDisruptionBudget for each guest that an eviction must not shut down.
 *
 * `createDisruptionBudgetController` runs in virt-controller; its budgets refuse evictions while
 * the eviction webhook is down. `warnAboutUserBudget` warns users whose budgets select launcher
 * pods.
 */
export { createDisruptionBudgetController } from './controller.ts'
export { raiseBudgetForMigration } from './reconciler.ts'
export { warnAboutUserBudget } from './user-budget-warnings.ts'
