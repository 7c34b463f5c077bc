/**
 * Keeps a PodDisruptionBudget for each guest that an eviction must not shut down.
 *
 * `createDisruptionBudgetReconciler` runs in virt-controller; its budgets refuse evictions while
 * the eviction webhook is down. `warnAboutUserBudget` warns users whose budgets select launcher
 * pods.
 */
export { budgetSelector } from './budget.ts'
export { createDisruptionBudgetReconciler, raiseBudgetForMigration } from './reconciler.ts'
export { warnAboutUserBudget } from './user-budget-warnings.ts'
