export { budgetSelector } from './budget.ts'
export { createDisruptionBudgetReconciler } from './reconciler.ts'
