import { CelBudgetError } from './errors.ts'

/** Kubernetes' limit on the cost of one evaluation of one expression. */
export const expressionCostLimit = 1_000_000
/** Kubernetes' limit on the cost of all rules of a custom resource in one request. */
export const objectCostLimit = 10_000_000
/** Kubernetes' limit on the cost of all match conditions of a webhook or policy in one request. */
export const matchConditionsCostLimit = 2_500_000

/**
 * Units of work per unit of cost for operations that Kubernetes' cost model does not count, such as
 * deep comparison.
 */
const workPerCost = 4
/** However large the budget is: a second or two. */
const mostWork = 10_000_000

/**
 * Remaining cost of evaluations, in Kubernetes' cost units. The expressions of an object can share
 * one budget.
 */
export interface CelBudget {
  /** Cost spent so far. */
  readonly spent: number
  /** Reports whether the budget is exhausted. */
  readonly isSpent: boolean
  /** @throws CelBudgetError when there is not that much left */
  spend(cost: number): void
  /**
   * Counts elements or characters that are touched although the cost model takes no notice, so that
   * no expression is cheap on paper and slow in fact.
   * @throws CelBudgetError when far more was touched than the cost allows
   */
  work(amount: number): void
}

/** A budget of so many cost units; with `parent`, everything counts there as well. */
export function createBudget(limit: number = expressionCostLimit, parent?: CelBudget): CelBudget {
  const workLimit = Math.min(limit * workPerCost, mostWork)
  let spent = 0
  let worked = 0
  const exceeded = (): CelBudgetError => new CelBudgetError('operation cancelled: actual cost limit exceeded')
  return {
    get spent(): number {
      return spent
    },
    get isSpent(): boolean {
      return spent > limit || worked > workLimit
    },
    spend(cost) {
      spent += cost
      if (spent > limit) throw exceeded()
      parent?.spend(cost)
    },
    work(amount) {
      worked += amount
      if (worked > workLimit) throw exceeded()
      parent?.work(amount)
    },
  }
}
