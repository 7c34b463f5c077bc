import { createBudget } from '../budget.ts'
import type { CheckedExpr } from './check.ts'
import type { CallExpr, Expr } from '../syntax/syntax.ts'
import { type CelValue, listValue, mapKey, mapValue } from '../values/values.ts'

/** Conversions of constants are made once. */
const conversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

interface Constant {
  readonly value: CelValue
}

/**
 * Returns the value of a constant expression, which costs nothing, as in cel-go: literals, lists
 * and maps of them, and conversions.
 *
 * @throws CelError when a conversion fails
 */
export function constantOf(expr: Expr, checked: CheckedExpr): Constant | undefined {
  if (expr.kind === 'literal') return expr
  if (expr.kind === 'call') return convertedConstant(expr, checked)
  if (expr.kind === 'list') {
    const items = expr.elements.map((each) => constantOf(each, checked))
    return expr.optional.size > 0 || items.includes(undefined) ? undefined : { value: listValue(items.map((item) => item?.value ?? null)) }
  }
  if (expr.kind !== 'map') return undefined
  const entries = expr.entries.map(({ key, value, optional }) => ({
    key: constantOf(key, checked),
    value: optional ? undefined : constantOf(value, checked),
  }))
  if (entries.some(({ key, value }) => key === undefined || value === undefined)) return undefined
  const pairs = entries.map(({ key, value }): [CelValue, CelValue] => [key?.value ?? null, value?.value ?? null])
  const keys = pairs.map(([key]) => mapKey(key))
  // An invalid literal fails at evaluation, not here.
  return keys.includes(undefined) || new Set(keys).size < keys.length ? undefined : { value: mapValue(pairs) }
}

function convertedConstant(expr: CallExpr, checked: CheckedExpr): Constant | undefined {
  const [argument] = expr.args
  const [overload, ambiguous] = checked.overloadsOf(expr)
  if (!conversions.has(expr.function) || argument === undefined || expr.args.length !== 1) return undefined
  if (expr.target !== undefined || overload === undefined || ambiguous !== undefined) return undefined
  const constant = constantOf(argument, checked)
  return constant === undefined ? undefined : { value: overload.run([constant.value], createBudget()) }
}
