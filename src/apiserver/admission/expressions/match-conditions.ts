import { type CelBudget, createBudget, expressionCostLimit } from '#apimachinery/cel/budget.ts'
import { compileExpression, type CelProgram } from '#apimachinery/cel/compile.ts'
import type { CelEnvironment } from '#apimachinery/cel/environment.ts'
import { CelBudgetError, CelCompileError, CelError } from '#apimachinery/cel/errors.ts'
import type { CelBindings } from '#apimachinery/cel/evaluator/frame.ts'
import type { CelValue } from '#apimachinery/cel/values/values.ts'

/**
 * A compiled expression, or its compile error. A stored expression may fail to compile in a newer
 * release.
 */
export type CompiledExpression =
  | { readonly source: string; readonly program: CelProgram }
  | { readonly source: string; readonly fault: string }

/** Compiles an expression. Errors are kept until evaluation. */
export function compiled(source: string, environment: CelEnvironment): CompiledExpression {
  try {
    return { source, program: compileExpression(source, environment) }
  } catch (error) {
    if (error instanceof CelCompileError) return { source, fault: `compilation failed: ${error.message}` }
    throw error
  }
}

/**
 * Value of an expression, or why it has none. An exhausted budget is an error of this expression.
 */
export type Outcome = { readonly value: CelValue } | { readonly fault: string }

/** Evaluates an expression within its own cost limit and a shared budget. */
export function outcome(expression: CompiledExpression, bindings: CelBindings, budget: CelBudget): Outcome {
  if ('fault' in expression) return expression
  try {
    return { value: expression.program.evaluate(bindings, createBudget(expressionCostLimit, budget)) }
  } catch (error) {
    if (error instanceof CelBudgetError)
      return { fault: 'validation failed due to running out of cost budget, no further validation rules will be run' }
    if (error instanceof CelError) return { fault: `expression '${expression.source}' resulted in error: ${error.message}` }
    throw error
  }
}

/**
 * Reports whether all conditions hold. One false condition decides, even when others fail; an error
 * counts only when none is false.
 */
export function evaluateConditions(
  conditions: readonly CompiledExpression[],
  bindings: CelBindings,
  budget: CelBudget,
): { readonly matches: boolean } | { readonly fault: string } {
  let fault: string | undefined
  for (const condition of conditions) {
    const result = outcome(condition, bindings, budget)
    if ('fault' in result) fault ??= result.fault
    else if (result.value !== true) return { matches: false }
  }
  return fault === undefined ? { matches: true } : { fault }
}
