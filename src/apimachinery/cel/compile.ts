import type { CelBudget } from './budget.ts'
import { checkExpression, type CheckedExpr } from './checker/check.ts'
import type { CelEnvironment } from './environment.ts'
import { compileSteps } from './evaluator/evaluate.ts'
import type { CelBindings } from './evaluator/frame.ts'
import { CelCompileError, CelError, issueAt } from './errors.ts'
import { parseExpression } from './syntax/parse.ts'
import type { CelType } from './types/types.ts'
import type { CelValue } from './values/values.ts'

/** An expression that has been checked, ready to be evaluated any number of times. */
export interface CelProgram {
  readonly source: string
  /** Type of the result. */
  readonly type: CelType
  readonly checked: CheckedExpr
  /**
   * Evaluates the expression. Every step counts against the budget before or right after it is
   * taken, so that no expression runs longer than that.
   *
   * @throws CelError when there is no value
   * @throws CelBudgetError when the budget is spent
   */
  evaluate(bindings: CelBindings, budget: CelBudget): CelValue
}

/**
 * Reads and checks an expression.
 *
 * @throws CelCompileError with every fault and its place
 */
export function compileExpression(source: string, environment: CelEnvironment): CelProgram {
  const checked = checkExpression(parseExpression(source), source, environment)
  const steps = prepare(checked, source)
  return {
    source,
    type: checked.type,
    checked,
    evaluate: (bindings, budget) => steps({ bindings, slots: [], budget }),
  }
}

function prepare(checked: CheckedExpr, source: string): ReturnType<typeof compileSteps> {
  try {
    return compileSteps(checked)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new CelCompileError([issueAt(source, checked.expr.offset, error.message)], source)
  }
}
