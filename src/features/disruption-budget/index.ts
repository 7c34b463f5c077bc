export { budgetSelector } from './budget.ts'
export { createDisruptionBudgetReconciler, raiseBudgetForMigration } from './reconciler.ts'
export { warnAboutUserBudget } from './user-budget-warnings.ts'
