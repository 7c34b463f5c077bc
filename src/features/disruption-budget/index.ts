export { budgetSelector } from './budget.ts'
export { createDisruptionBudgetReconciler, guardMove } from './reconciler.ts'
export { warnOfBudget } from './user-budget-warnings.ts'
