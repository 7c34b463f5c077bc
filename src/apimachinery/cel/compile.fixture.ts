import { type CelBudget, createBudget } from './budget.ts'
import { compileExpression } from './compile.ts'
import { createEnvironment } from './environment.ts'
import { fromJson } from './values/json-values.ts'
import * as types from './types/types.ts'
import { type CelValue, isList, isMap, isOptionalValue, itemsOf } from './values/values.ts'

/** A value as something that a test can compare: uints as `1u`, optionals as lists, and so on. */
export function show(value: CelValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return Array.from(value)
  if (isList(value)) return Array.from(itemsOf(value), show)
  if (isMap(value)) return Object.fromEntries(Array.from(value.keys(), (key) => [String(show(key)), show(value.get(key) ?? null)]))
  if (isOptionalValue(value)) return value.value === undefined ? 'none' : ['some', show(value.value)]
  if (value.kind === 'uint') return `${value.value}u`
  return 'nanos' in value ? `${value.kind} ${value.nanos}` : 'name' in value ? value.name : value.value
}

/** Evaluates an expression about the variable `object` of any type. */
export function evaluate(source: string, object: unknown = {}, budget: CelBudget = createBudget()): unknown {
  const program = compileExpression(source, createEnvironment({ object: types.dyn }))
  return show(program.evaluate({ object: fromJson(object) }, budget))
}

/** Returns the cost of evaluating an expression. */
export function costOf(source: string, object: unknown = {}): number {
  const budget = createBudget()
  evaluate(source, object, budget)
  return budget.spent
}
