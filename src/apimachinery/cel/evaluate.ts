import { accepts } from './accepts.ts'
import type { CheckedExpr } from './check.ts'
import { compileComprehension } from './evaluate-comprehension.ts'
import { CelBudgetError, CelError, noSuchOverload } from './errors.ts'
import type { Frame, Slots, Step } from './frame.ts'
import type { Overload } from './signature.ts'
import type { CallExpr, Expr, ListExpr, MapExpr, SelectExpr } from './syntax.ts'
import { type CelMap, type CelValue, isMap, isOptionalValue, listValue, mapKey, mapValue, none, some, typeValue } from './values.ts'

/** Turns a checked expression into a function. Every step counts its cost as cel-go does before or right after its work. */
export function compileSteps(checked: CheckedExpr): Step {
  return compileExpr(checked.expr, checked, undefined)
}

function compileExpr(expr: Expr, checked: CheckedExpr, slots: Slots | undefined): Step {
  switch (expr.kind) {
    case 'literal': {
      const { value } = expr
      return () => value
    }
    case 'ident':
      return compileIdent(expr.name, checked.typeLiteral(expr), slots)
    case 'select':
      return compileSelect(expr, checked, slots)
    case 'call':
      return compileCall(expr, checked, slots)
    case 'list':
      return compileList(expr, checked, slots)
    case 'map':
      return compileMap(expr, checked, slots)
    case 'comprehension':
      return compileComprehension(expr, (inner, visible) => compileExpr(inner, checked, visible), slots)
  }
}

function typeStep(name: string): Step {
  const value = typeValue(name)
  return () => value
}

function compileIdent(name: string, literal: string | undefined, slots: Slots | undefined): Step {
  if (literal !== undefined) return typeStep(literal)
  for (let each = slots; each !== undefined; each = each.outer) {
    if (each.name !== name) continue
    const { slot } = each
    return ({ slots: values, budget }) => {
      budget.spend(1)
      return values[slot] ?? null
    }
  }
  return ({ bindings, budget }) => {
    budget.spend(1)
    const value = Object.hasOwn(bindings, name) ? bindings[name] : undefined
    if (value === undefined) throw new CelError(`no such attribute(s): ${name}`)
    return value
  }
}

function compileSelect(expr: SelectExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  const literal = checked.typeLiteral(expr)
  if (literal !== undefined) return typeStep(literal)
  const { field, testOnly } = expr
  const operand = compileExpr(expr.operand, checked, slots)
  if (testOnly) return (frame) => isPresent(operand(frame), field)
  return (frame) => {
    const value = operand(frame)
    frame.budget.spend(1)
    if (isOptionalValue(value)) return value.value === undefined ? none : selectOptional(value.value, field)
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
  if (!isMap(value)) throw noSuchOverload()
  return value.get(field) ?? missing(value, field)
}

function missing({ typeName }: CelMap, field: string): never {
  throw new CelError(typeName === undefined ? `no such key: ${field}` : `no such key: ${field}`)
}

function selectOptional(value: CelValue, field: string): CelValue {
  if (!isMap(value)) throw noSuchOverload()
  const found = value.get(field)
  return found === undefined ? none : some(found)
}

function compileCall(expr: CallExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  const { target } = expr
  // A qualified name such as `optional.of` has a target in the syntax that is no value.
  const overloads = checked.overloadsOf(expr)
  const isMethod = overloads[0]?.member === true
  const operands = isMethod && target !== undefined ? [target, ...expr.args] : expr.args
  const args = operands.map((arg) => compileExpr(arg, checked, slots))
  const [first, second, third] = args
  if (first !== undefined && second !== undefined) {
    if (expr.function === '_&&_') return logic(first, second, false)
    if (expr.function === '_||_') return logic(first, second, true)
    if (expr.function === '_?_:_' && third !== undefined) return conditional(first, second, third)
  }
  if (expr.function === '@not_strictly_false' && first !== undefined) return notStrictlyFalse(first)
  if (expr.function === '_?._' && first !== undefined) return optionalSelect(first, expr)
  const [only] = overloads
  if (only !== undefined && overloads.length === 1) return (frame) => invoke(only, evaluateAll(args, frame), frame)
  return (frame) => {
    const values = evaluateAll(args, frame)
    const chosen = overloads.find((each) => fits(each, values))
    if (chosen === undefined) {
      frame.budget.spend(1)
      throw noSuchOverload()
    }
    return run(chosen, values, frame)
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

/** An error on one side does not matter when the other side decides. */
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

function attempt(step: Step, frame: Frame): CelValue | CelError {
  try {
    return step(frame)
  } catch (error) {
    if (error instanceof CelError && !(error instanceof CelBudgetError)) return error
    throw error
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

function optionalSelect(operand: Step, { args: [, name] }: CallExpr): Step {
  const field = name?.kind === 'literal' && typeof name.value === 'string' ? name.value : ''
  return (frame) => {
    const value = operand(frame)
    frame.budget.spend(1)
    const inner = isOptionalValue(value) ? value.value : value
    return inner === undefined ? none : selectOptional(inner, field)
  }
}

function compileList(expr: ListExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  const elements = expr.elements.map((each) => compileExpr(each, checked, slots))
  const { optional } = expr
  if (expr.elements.length > 0 && expr.elements.every(isConstant)) return constant(() => listValue(expr.elements.map(constantValue)))
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

/** Lists and maps of literals are made once and cost nothing, as in cel-go. */
function constant(make: () => CelValue): Step {
  const value = make()
  return () => value
}

function isConstant(expr: Expr): boolean {
  if (expr.kind === 'literal') return true
  if (expr.kind === 'list') return expr.optional.size === 0 && expr.elements.length > 0 && expr.elements.every(isConstant)
  if (expr.kind !== 'map' || expr.entries.length === 0) return false
  const keys = expr.entries.map(({ key }) => (key.kind === 'literal' ? mapKey(key.value) : undefined))
  return !keys.includes(undefined) && new Set(keys).size === keys.length && expr.entries.every(isConstantEntry)
}

function isConstantEntry({ value, optional }: MapExpr['entries'][number]): boolean {
  return !optional && isConstant(value)
}

function constantValue(expr: Expr): CelValue {
  if (expr.kind === 'literal') return expr.value
  if (expr.kind === 'list') return listValue(expr.elements.map(constantValue))
  if (expr.kind === 'map') return mapValue(expr.entries.map(({ key, value }) => [constantValue(key), constantValue(value)]))
  return null
}

function compileMap(expr: MapExpr, checked: CheckedExpr, slots: Slots | undefined): Step {
  if (isConstant(expr)) return constant(() => constantValue(expr))
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
