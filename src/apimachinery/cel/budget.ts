import { CelBudgetError } from './errors.ts'

/** Kubernetes' limit on the cost of one evaluation of one expression. */
export const expressionCostLimit = 1_000_000
/** Kubernetes' limit on the cost of all rules of a custom resource in one request. */
export const objectCostLimit = 10_000_000
/** Kubernetes' limit on the cost of all match conditions of a webhook or policy in one request. */
export const matchConditionsCostLimit = 2_500_000

/**
 * How much work per unit of cost is let pass that Kubernetes' cost model does not see, such as
 * comparing deep values.
 */
const workPerCost = 4
/** However large the budget is: a second or two. */
const mostWork = 10_000_000

/**
 * What evaluations may still cost, in Kubernetes' cost units. One budget can be shared by the
 * expressions of an object: what one spends, the next does not have.
 */
export interface CelBudget {
  /** What has been spent so far. */
  readonly spent: number
  /** Whether nothing is left. */
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
