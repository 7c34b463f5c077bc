export { budgetSelector } from './budget.ts'
export { createDisruptionBudgetReconciler, guardMove } from './reconciler.ts'
