import type { CelValue } from '../values/values.ts'

interface Node {
  /** Offset in the source, in UTF-16 units: of the operator, bracket or name. */
  readonly offset: number
}

/** A value that is written in the source. */
export interface LiteralExpr extends Node {
  readonly kind: 'literal'
  readonly value: CelValue
}

/** A variable, or the name of a type. */
export interface IdentExpr extends Node {
  readonly kind: 'ident'
  readonly name: string
}

/** `operand.field`. */
export interface SelectExpr extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  /** `has(operand.field)`. */
  readonly testOnly: boolean
}

/** Operators are calls too, under cel-go's names: `_+_`, `_[_]`, `_?_:_`. */
export interface CallExpr extends Node {
  readonly kind: 'call'
  readonly function: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

/** `[a, ?b]`. */
export interface ListExpr extends Node {
  readonly kind: 'list'
  readonly elements: readonly Expr[]
  /** Indexes of the elements that were written `?e`. */
  readonly optional: ReadonlySet<number>
}

/** `key: value`, or `?key: value`. */
export interface MapEntry {
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

/** `{key: value}`. */
export interface MapExpr extends Node {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}

/** Expansion of all macros over lists and maps; the loop ends when the condition is false. */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension'
  readonly range: Expr
  readonly variable: string
  /** The value when `variable` is the key or index. */
  readonly second: string | undefined
  readonly accumulator: string
  readonly initial: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** Any part of an expression. */
export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | ComprehensionExpr

/** The accumulator of macros; no name that can be written. */
export const accumulatorName = '@result'
