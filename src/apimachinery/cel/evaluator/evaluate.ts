import { accepts } from '../types/accepts.ts'
import { constantOf } from '../checker/constants.ts'
import type { CheckedExpr } from '../checker/check.ts'
import { compileComprehension } from './evaluate-comprehension.ts'
import { CelBudgetError, CelError, noSuchOverload } from '../errors.ts'
import type { Frame, Slots, Step } from './frame.ts'
import type { Overload } from '../types/signature.ts'
import type { CallExpr, Expr, ListExpr, MapExpr, SelectExpr } from '../syntax/syntax.ts'
import {
  type CelValue,
  isList,
  isMap,
  isOptionalValue,
  itemsOf,
  listValue,
  mapKey,
  mapValue,
  none,
  some,
  typeValue,
} from '../values/values.ts'

/**
 * Turns a checked expression into a function. Every step counts its cost as cel-go does before or
 * right after its work.
 *
 * @throws CelError when a conversion of a constant fails
 */
export function compileSteps(checked: CheckedExpr): Step {
  return compileExpr(checked.expr, checked, undefined)
}

/**
 * In cel-go an identifier with all its selections is one attribute; inside of another attribute its
 * root costs nothing.
 */
function isAttribute(expr: Expr): boolean {
  if (expr.kind === 'ident') return true
  if (expr.kind === 'select') return !expr.testOnly
  return expr.kind === 'call' && (isIndex(expr) || expr.function === '_?_:_')
}

function isIndex(expr: CallExpr): boolean {
  return expr.function === '_[_]' || expr.function === '_[?_]' || expr.function === '_?._'
}

/** `free` marks a part of an attribute whose root is not counted. */
function compileExpr(expr: Expr, checked: CheckedExpr, slots: Slots | undefined, free: boolean = false): Step {
  const folded = constantOf(expr, checked)
  if (folded !== undefined) return constant(folded.value)
  switch (expr.kind) {
    case 'literal':
      return constant(expr.value)
    case 'ident':
      // The name that optMap gives to its target is ours.
      return compileIdent(expr.name, checked.typeLiteral(expr), slots, free || expr.name === '@optional' ? 0 : 1)
    case 'select':
      return compileSelect(expr, checked, slots, free)
    case 'call':
      return compileCall(expr, checked, slots, free)
    case 'list':
      return compileList(expr, checked, slots)
    case 'map':
      return compileMap(expr, checked, slots)
    case 'comprehension':
      return compileComprehension(expr, (inner, visible) => compileExpr(inner, checked, visible), slots)
  }
}

function constant(value: CelValue): Step {
  return () => value
}

function compileIdent(name: string, literal: string | undefined, slots: Slots | undefined, cost: 0 | 1): Step {
  if (literal !== undefined) return constant(typeValue(literal))
  for (let each = slots; each !== undefined; each = each.outer) {
    if (each.name !== name) continue
    const { slot } = each
    return ({ slots: values, budget }) => {
      budget.spend(cost)
      return values[slot] ?? null
    }
  }
  return ({ bindings, budget }) => {
    budget.spend(cost)
    const value = Object.hasOwn(bindings, name) ? bindings[name] : undefined
    if (value === undefined) throw new CelError(`no such attribute(s): ${name}`)
    return value
  }
}

/**
 * Compiles the operand of a selection. If it is no attribute itself, an attribute starts here, and
 * is counted.
 */
function compileOperand(operand: Expr, checked: CheckedExpr, slots: Slots | undefined, free: boolean): Step {
  if (isAttribute(operand)) return compileExpr(operand, checked, slots, free)
  const step = compileExpr(operand, checked, slots)
  if (free) return step
  return (frame) => {
    const value = step(frame)
    frame.budget.spend(1)
    return value
  }
}

function compileSelect(expr: SelectExpr, checked: CheckedExpr, slots: Slots | undefined, free: boolean): Step {
  const variable = checked.qualifiedVariable(expr)
  if (variable !== undefined) return compileIdent(variable, undefined, undefined, free ? 0 : 1)
  const literal = checked.typeLiteral(expr)
  if (literal !== undefined) return constant(typeValue(literal))
  const { field, testOnly } = expr
  if (testOnly) {
    const operand = compileExpr(expr.operand, checked, slots)
    return (frame) => isPresent(operand(frame), field)
  }
  const operand = compileOperand(expr.operand, checked, slots, free)
  return (frame) => {
    const value = operand(frame)
    if (isOptionalValue(value)) return value.value === undefined ? none : selectOptional(value.value, field, frame)
    frame.budget.spend(1)
    return selectField(value, field)
  }
}

function isPresent(value: CelValue, field: string): boolean {
  const inner = isOptionalValue(value) ? value.value : value
  if (inner === undefined) return false
  if (!isMap(inner)) throw noSuchOverload()
  return inner.has(field)
}

function selectField(value: CelValue, field: string): CelValue {
  if (isList(value)) throw new CelError("unsupported index type 'string' in list")
  const found = isMap(value) ? value.get(field) : undefined
  if (found === undefined) throw new CelError(`no such key: ${field}`)
  return found
}

/** An absent field costs nothing. */
function selectOptional(value: CelValue, field: string, { budget }: Frame): CelValue {
  if (!isMap(value)) throw noSuchOverload()
  const found = value.get(field)
  if (found === undefined) return none
  budget.spend(1)
  return some(found)
}

function compileCall(expr: CallExpr, checked: CheckedExpr, slots: Slots | undefined, free: boolean): Step {
  const { target } = expr
  const overloads = checked.overloadsOf(expr)
  if (expr.function === '_?_:_') return compileConditional(expr, checked, slots)
  if (isIndex(expr)) return compileIndex(expr, overloads, checked, slots, free)
  // A qualified name such as `optional.of` has a target in the syntax that is no value.
  const operands = overloads[0]?.member === true && target !== undefined ? [target, ...expr.args] : expr.args
  const args = operands.map((arg) => compileExpr(arg, checked, slots))
  const [first, second] = args
  if (first !== undefined && second !== undefined) {
    if (expr.function === '_&&_') return logic(first, second, false)
    if (expr.function === '_||_') return logic(first, second, true)
    if (isFallback(overloads)) return fallback(first, second, expr.function === 'orValue')
    const members = expr.function === '@in' ? constantMembers(expr.args[1], checked) : undefined
    if (members !== undefined) return membership(first, members)
  }
  if (expr.function === '@not_strictly_false' && first !== undefined) return notStrictlyFalse(first)
  return dispatch(overloads, args)
}

function dispatch(overloads: readonly Overload[], args: readonly Step[]): Step {
  const [only] = overloads
  if (only !== undefined && overloads.length === 1) return (frame) => invoke(only, evaluateAll(args, frame), frame)
  return (frame) => {
    const values = evaluateAll(args, frame)
    const chosen = overloads.find((each) => fits(each, values))
    if (chosen === undefined) {
      frame.budget.spend(1)
      throw noSuchOverload()
    }
    return run(flatRates.has(chosen.name) ? atFlatRate(chosen) : chosen, values, frame)
  }
}

/** Functions that cel-go prices by overload: without static operand types it counts one unit. */
const flatRates: ReadonlySet<string> = new Set([
  '_+_',
  '_<_',
  '_<=_',
  '_>_',
  '_>=_',
  '@in',
  'string',
  'bytes',
  'sort',
  'list.@sortByAssociatedKeys',
])

function atFlatRate(overload: Overload): Overload {
  const { cost, run: call } = overload
  if (cost === undefined) return overload
  return {
    ...overload,
    cost: undefined,
    run(values, budget) {
      budget.work(cost(values))
      return call(values, budget)
    },
  }
}

/** An attribute as index costs its contents; its root is the index. */
function compileIndex(expr: CallExpr, overloads: readonly Overload[], checked: CheckedExpr, slots: Slots | undefined, free: boolean): Step {
  const [from, index] = expr.args
  if (from === undefined || index === undefined) throw noSuchOverload()
  const operand = compileOperand(from, checked, slots, free)
  if (expr.function === '_?._') return optionalSelect(operand, index)
  const at = compileExpr(index, checked, slots, isAttribute(index))
  if (expr.function === '_[_]' && overloads.length === 1) return dispatch(overloads, [operand, at])
  return (frame) => {
    const values = [operand(frame), at(frame)]
    const chosen = overloads.find((each) => fits(each, values))
    if (chosen === undefined) throw noSuchOverload()
    const isOptional = chosen.result.kind === 'opaque'
    if (!isOptional) frame.budget.spend(1)
    const result = chosen.run(values, frame.budget)
    // An absent optional value costs nothing.
    if (isOptional && isOptionalValue(result) && result.value !== undefined) frame.budget.spend(1)
    return result
  }
}

function compileConditional(expr: CallExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  const [condition, yes, no] = expr.args
  if (condition === undefined || yes === undefined || no === undefined) throw noSuchOverload()
  const branch = (each: Expr): Step => compileExpr(each, checked, slots, isAttribute(each))
  return conditional(compileExpr(condition, checked, slots), branch(yes), branch(no))
}

function isFallback(overloads: readonly Overload[]): boolean {
  return overloads.length > 0 && overloads.every(({ id }) => id === 'optional_or_optional' || id === 'optional_orValue_value')
}

/** `or` and `orValue` cost nothing, and the alternative is only looked at when it is needed. */
function fallback(first: Step, second: Step, unwrap: boolean): Step {
  return (frame) => {
    const optional = first(frame)
    if (!isOptionalValue(optional)) throw noSuchOverload()
    if (optional.value === undefined) return second(frame)
    return unwrap ? optional.value : optional
  }
}

/** The items of a constant list as keys, when all of them can be keys. */
function constantMembers(list: Expr | undefined, checked: CheckedExpr): ReadonlySet<string> | undefined {
  const value = list?.kind === 'list' ? constantOf(list, checked)?.value : undefined
  if (value === undefined || !isList(value)) return undefined
  const keys = Array.from(itemsOf(value), mapKey).filter((key) => key !== undefined)
  return keys.length === value.size ? new Set(keys) : undefined
}

/** Finding something in a constant list costs nothing. */
function membership(item: Step, members: ReadonlySet<string>): Step {
  return (frame) => {
    const key = mapKey(item(frame))
    return key !== undefined && members.has(key)
  }
}

function evaluateAll(args: readonly Step[], frame: Frame): CelValue[] {
  const values: CelValue[] = []
  for (const arg of args) values.push(arg(frame))
  return values
}

function fits({ parameters }: Overload, values: readonly CelValue[]): boolean {
  return values.every((value, index) => {
    const parameter = parameters[index]
    return parameter !== undefined && accepts(parameter, value)
  })
}

function invoke(overload: Overload, values: readonly CelValue[], frame: Frame): CelValue {
  if (!fits(overload, values)) {
    frame.budget.spend(1)
    throw noSuchOverload()
  }
  return run(overload, values, frame)
}

function run({ cost, resultCost, run: call }: Overload, values: readonly CelValue[], { budget }: Frame): CelValue {
  if (resultCost === undefined) {
    budget.spend(cost === undefined ? 1 : cost(values))
    return call(values, budget)
  }
  const result = call(values, budget)
  budget.spend(resultCost(result, values))
  return result
}

/** An error on one side is absorbed when the other side decides. */
function logic(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const first = attempt(left, frame)
    if (first === decisive) return decisive
    const second = attempt(right, frame)
    if (second === decisive) return decisive
    if (first instanceof CelError) throw first
    if (second instanceof CelError) throw second
    if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload()
    return !decisive
  }
}

/** As much work as an error is that an operator absorbs. */
const absorbedError = 25

function attempt(step: Step, frame: Frame): CelValue | CelError {
  try {
    return step(frame)
  } catch (error) {
    if (!(error instanceof CelError) || error instanceof CelBudgetError) throw error
    // Cheap on the price list, and not in fact.
    frame.budget.work(absorbedError)
    return error
  }
}

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const decision = condition(frame)
    if (typeof decision !== 'boolean') throw noSuchOverload()
    return decision ? yes(frame) : no(frame)
  }
}

function notStrictlyFalse(step: Step): Step {
  return (frame) => {
    const value = attempt(step, frame)
    frame.budget.spend(1)
    return value !== false
  }
}

function optionalSelect(operand: Step, name: Expr): Step {
  const field = name.kind === 'literal' && typeof name.value === 'string' ? name.value : ''
  return (frame) => {
    const value = operand(frame)
    const inner = isOptionalValue(value) ? value.value : value
    return inner === undefined ? none : selectOptional(inner, field, frame)
  }
}

function compileList(expr: ListExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  const elements = expr.elements.map((each) => compileExpr(each, checked, slots))
  const { optional } = expr
  return (frame) => {
    const items: CelValue[] = []
    for (const [index, element] of elements.entries()) {
      const value = element(frame)
      if (!optional.has(index)) items.push(value)
      else if (!isOptionalValue(value)) throw noSuchOverload()
      else if (value.value !== undefined) items.push(value.value)
    }
    frame.budget.spend(10)
    return listValue(items)
  }
}

function compileMap(expr: MapExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  const entries = expr.entries.map(({ key, value, optional }) => ({
    key: compileExpr(key, checked, slots),
    value: compileExpr(value, checked, slots),
    optional,
  }))
  return (frame) => {
    const found: [CelValue, CelValue][] = []
    const seen = new Set<string>()
    for (const entry of entries) {
      const key = entry.key(frame)
      const value = entry.value(frame)
      const text = mapKey(key)
      if (text === undefined) throw new CelError('unsupported key type')
      if (seen.has(text)) throw new CelError(`duplicate key in map: ${text.slice(1)}`)
      seen.add(text)
      if (!entry.optional) found.push([key, value])
      else if (!isOptionalValue(value)) throw noSuchOverload()
      else if (value.value !== undefined) found.push([key, value.value])
    }
    frame.budget.spend(30)
    return mapValue(found)
  }
}
