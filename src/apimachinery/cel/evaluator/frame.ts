import type { CelBudget } from '../budget.ts'
import type { Expr } from '../syntax/syntax.ts'
import type { CelValue } from '../values/values.ts'

/** The values of the variables of an expression. */
export type CelBindings = Readonly<Record<string, CelValue>>

/** State of one evaluation: variables of the environment, of macros (by slot), and the budget. */
export interface Frame {
  readonly bindings: CelBindings
  readonly slots: CelValue[]
  readonly budget: CelBudget
}

/** A part of an expression, ready to be evaluated. */
export type Step = (frame: Frame) => CelValue

/** Variables of macros, innermost first. */
export interface Slots {
  readonly name: string
  readonly slot: number
  readonly outer: Slots | undefined
}

/** Turns a part of an expression into a step, given the variables of macros that it sees. */
export type CompileStep = (expr: Expr, slots: Slots | undefined) => Step
