import type { CheckedExpr } from '../checker/check.ts'
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from '../syntax/syntax.ts'
import { accumulatorName } from '../syntax/syntax.ts'
import type { CelType } from '../types/types.ts'
import { isOptional } from '../types/types.ts'
import { lengthOf } from '../values/values.ts'
import { byName, byOverload, type CallEstimate, type Operand } from './calls.ts'
import { capped, eitherSize, exactly, most, type Size, unknownSize } from './size.ts'

/** The estimate of an expression without an upper bound. */
export const withoutBound: number = most

/** The sizes of the keys and values of a list or map that an expression makes. */
interface Entries {
  readonly isList: boolean
  readonly key: Size
  readonly value: Size
}

interface Local {
  /** The declared type that it comes from. */
  readonly origin: CelType | undefined
  readonly size: Size | undefined
  readonly entries: Entries | undefined
  /** For the target of optMap, which cel-go evaluates anew wherever it is named. */
  readonly cost: number
}

interface Estimation {
  readonly checked: CheckedExpr
  readonly root: CelType
  readonly locals: Map<string, Local[]>
  readonly origins: Map<Expr, CelType>
  readonly sizes: Map<Expr, Size>
  readonly entries: Map<Expr, Entries>
}

/**
 * Returns the maximum cost of an expression about values of a type, by the sizes that the type
 * allows, as cel-go estimates it for Kubernetes. All variables are assumed to be of that type.
 * {@link withoutBound} when there is no upper bound.
 */
export function estimateCost(checked: CheckedExpr, root: CelType): number {
  const estimation: Estimation = { checked, root, locals: new Map(), origins: new Map(), sizes: new Map(), entries: new Map() }
  return costOf(estimation, checked.expr)
}

function costOf(estimation: Estimation, expr: Expr): number {
  switch (expr.kind) {
    case 'literal':
      return 0
    case 'ident':
      return localOf(estimation, expr.name)?.cost ?? 1
    case 'select':
      return selectCost(estimation, expr)
    case 'call':
      return callCost(estimation, expr)
    case 'list':
      return listCost(estimation, expr)
    case 'map':
      return mapCost(estimation, expr)
    case 'comprehension':
      return expr.accumulator === accumulatorName ? loopCost(estimation, expr) : bindCost(estimation, expr)
  }
}

function localOf({ locals }: Estimation, name: string): Local | undefined {
  return locals.get(name)?.at(-1)
}

function push({ locals }: Estimation, name: string, local: Omit<Local, 'cost'>, cost: number = 1): void {
  const stack = locals.get(name) ?? []
  stack.push({ ...local, cost })
  locals.set(name, stack)
}

function pop({ locals }: Estimation, name: string): void {
  locals.get(name)?.pop()
}

function originOf(estimation: Estimation, expr: Expr): CelType | undefined {
  if (expr.kind !== 'ident') return estimation.origins.get(expr)
  const local = localOf(estimation, expr.name)
  return local === undefined ? estimation.root : local.origin
}

function literalSize(expr: Expr): Size | undefined {
  if (expr.kind === 'list') return exactly(expr.elements.length)
  if (expr.kind === 'map') return exactly(expr.entries.length)
  if (expr.kind !== 'literal') return undefined
  const { value } = expr
  if (typeof value === 'string') return exactly(lengthOf(value))
  return exactly(value instanceof Uint8Array ? value.length : 1)
}

const scalars: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function isScalar(type: CelType): boolean {
  return isOptional(type) ? type.parameters.every(isScalar) : scalars.has(type.kind)
}

function sizeOf(estimation: Estimation, expr: Expr): Size | undefined {
  const known = estimation.sizes.get(expr) ?? literalSize(expr)
  if (known !== undefined) return known
  const origin = originOf(estimation, expr)
  if (origin !== undefined) return { min: 0, max: origin.maxSize ?? 0 }
  if (isScalar(estimation.checked.typeOf(expr))) return exactly(1)
  return expr.kind === 'ident' ? localOf(estimation, expr.name)?.size : undefined
}

function entriesOf(estimation: Estimation, expr: Expr): Entries | undefined {
  return estimation.entries.get(expr) ?? (expr.kind === 'ident' ? localOf(estimation, expr.name)?.entries : undefined)
}

function eitherEntries(left: Entries | undefined, right: Entries | undefined): Entries | undefined {
  if (left === undefined || right === undefined) return undefined
  return { isList: left.isList, key: eitherSize(left.key, right.key), value: eitherSize(left.value, right.value) }
}

function selectCost(estimation: Estimation, expr: SelectExpr): number {
  const operand = costOf(estimation, expr.operand)
  if (expr.testOnly) return operand
  const origin = originOf(estimation, expr.operand)
  const field = origin?.kind === 'object' ? origin.fields.get(expr.field)?.type : undefined
  if (field !== undefined) estimation.origins.set(expr, field)
  const { kind } = estimation.checked.typeOf(expr.operand)
  return capped(operand + (kind === 'map' || kind === 'object' || kind === 'parameter' ? 1 : 0))
}

function operandOf(estimation: Estimation, expr: Expr): Operand {
  const origin = originOf(estimation, expr)
  const element = origin?.kind === 'list' ? origin.element : undefined
  return {
    size: sizeOf(estimation, expr) ?? unknownSize,
    type: estimation.checked.typeOf(expr),
    itemSize: element === undefined ? unknownSize : { min: 0, max: element.maxSize ?? 0 },
    integer: expr.kind === 'literal' && typeof expr.value === 'bigint' ? Number(expr.value) : undefined,
  }
}

function callCost(estimation: Estimation, expr: CallExpr): number {
  const { args } = expr
  const overloads = estimation.checked.overloadsOf(expr)
  const costs = args.map((arg) => costOf(estimation, arg))
  const [first, second] = args
  if (expr.function === 'dyn' && first !== undefined) {
    copyEstimates(estimation, expr, first)
    return capped(1 + (costs[0] ?? 0))
  }
  const isMethod = overloads[0]?.member === true && expr.target !== undefined
  const target = isMethod ? expr.target : undefined
  const before = target === undefined ? 0 : costOf(estimation, target)
  if (expr.function === '_?_:_') return conditionalCost(estimation, expr, costs)
  const sum = capped(costs.reduce((total, cost) => total + cost, before))
  if (expr.function === '_&&_' || expr.function === '_||_') return sum
  const operands = args.map((arg) => operandOf(estimation, arg))
  const receiver = target === undefined ? undefined : operandOf(estimation, target)
  let estimated: CallEstimate = { cost: 0 }
  for (const overload of overloads) {
    const call = { overload: overload.id, target: receiver, args: operands }
    const estimate = (byName.get(overload.name) ?? byOverload.get(overload.id))?.(call) ?? { cost: 1 }
    const size = eitherKnown(estimated.size, estimate.size)
    estimated = { cost: Math.max(estimated.cost, estimate.cost), ...(size === undefined ? {} : { size }) }
  }
  if (expr.function === '_[_]' && first !== undefined) indexEstimates(estimation, expr, first)
  else if (estimated.size !== undefined) estimation.sizes.set(expr, estimated.size)
  if (expr.function === '_+_' && first !== undefined && second !== undefined) {
    const entries = eitherEntries(entriesOf(estimation, first), entriesOf(estimation, second))
    if (entries !== undefined) estimation.entries.set(expr, entries)
  }
  return capped(sum + estimated.cost)
}

function eitherKnown(left: Size | undefined, right: Size | undefined): Size | undefined {
  return left === undefined || right === undefined ? (left ?? right) : eitherSize(left, right)
}

function indexEstimates(estimation: Estimation, expr: CallExpr, from: Expr): void {
  const origin = originOf(estimation, from)
  const inner = origin?.kind === 'list' ? origin.element : origin?.kind === 'map' ? origin.value : undefined
  const size = entriesOf(estimation, from)?.value
  if (inner !== undefined) estimation.origins.set(expr, inner)
  else if (origin === undefined) estimation.origins.set(expr, estimation.root)
  if (size !== undefined) estimation.sizes.set(expr, size)
}

function copyEstimates(estimation: Estimation, to: Expr, from: Expr): void {
  const size = sizeOf(estimation, from)
  const entries = entriesOf(estimation, from)
  if (size !== undefined) estimation.sizes.set(to, size)
  if (entries !== undefined) estimation.entries.set(to, entries)
}

function conditionalCost(estimation: Estimation, expr: CallExpr, [condition = 0, yes = 0, no = 0]: readonly number[]): number {
  const [, first, second] = expr.args
  if (first !== undefined && second !== undefined) {
    estimation.sizes.set(expr, eitherSize(sizeOf(estimation, first) ?? unknownSize, sizeOf(estimation, second) ?? unknownSize))
    const entries = eitherEntries(entriesOf(estimation, first), entriesOf(estimation, second))
    if (entries !== undefined) estimation.entries.set(expr, entries)
  }
  return capped(condition + Math.max(yes, no))
}

const nothing: Size = { min: most, max: 0 }

function listCost(estimation: Estimation, expr: ListExpr): number {
  let cost = 10
  let value = expr.elements.length === 0 ? exactly(0) : nothing
  for (const element of expr.elements) {
    cost = capped(cost + costOf(estimation, element))
    value = eitherSize(value, sizeOf(estimation, element) ?? unknownSize)
  }
  estimation.entries.set(expr, { isList: true, key: exactly(1), value })
  return cost
}

function mapCost(estimation: Estimation, expr: MapExpr): number {
  let cost = 30
  let key = expr.entries.length === 0 ? exactly(0) : nothing
  let value = key
  for (const entry of expr.entries) {
    cost = capped(cost + costOf(estimation, entry.key) + costOf(estimation, entry.value))
    key = eitherSize(key, sizeOf(estimation, entry.key) ?? unknownSize)
    value = eitherSize(value, sizeOf(estimation, entry.value) ?? unknownSize)
  }
  estimation.entries.set(expr, { isList: false, key, value })
  return cost
}

function pushIterated(estimation: Estimation, expr: ComprehensionExpr): void {
  const origin = originOf(estimation, expr.range)
  const entries = entriesOf(estimation, expr.range)
  const isList = entries?.isList ?? estimation.checked.typeOf(expr.range).kind === 'list'
  // cel-go's estimate for Kubernetes uses the size of the root for values that do not come from the
  // object, and the root has no size.
  const stray = origin === undefined ? estimation.root : undefined
  const keys = { origin: origin?.kind === 'map' ? origin.key : stray, size: entries?.key, entries: undefined }
  const inner = origin?.kind === 'list' ? origin.element : origin?.kind === 'map' ? origin.value : undefined
  const values = { origin: inner ?? stray, size: entries?.value, entries: undefined }
  if (expr.second === undefined) return push(estimation, expr.variable, isList ? values : keys)
  push(estimation, expr.variable, keys)
  push(estimation, expr.second, values)
}

function loopCost(estimation: Estimation, expr: ComprehensionExpr): number {
  const { range, initial, step } = expr
  const before = capped(costOf(estimation, range) + costOf(estimation, initial))
  const accumulator = { origin: originOf(estimation, initial), size: sizeOf(estimation, initial), entries: entriesOf(estimation, initial) }
  push(estimation, expr.accumulator, accumulator)
  pushIterated(estimation, expr)
  const perItem = capped(costOf(estimation, expr.condition) + costOf(estimation, step))
  const collected = entriesOf(estimation, step)
  pop(estimation, expr.variable)
  if (expr.second !== undefined) pop(estimation, expr.second)
  const result = costOf(estimation, expr.result)
  pop(estimation, expr.accumulator)
  const count = sizeOf(estimation, range) ?? unknownSize
  if (initial.kind === 'literal') estimation.sizes.set(expr, exactly(1))
  else {
    estimation.sizes.set(expr, count)
    if (collected !== undefined) estimation.entries.set(expr, collected)
  }
  return capped(before + result + capped(count.max * perItem))
}

function bindCost(estimation: Estimation, expr: ComprehensionExpr): number {
  const initial = costOf(estimation, expr.initial)
  const again = expr.accumulator === '@optional'
  const local = {
    origin: originOf(estimation, expr.initial),
    size: sizeOf(estimation, expr.initial),
    entries: entriesOf(estimation, expr.initial),
  }
  push(estimation, expr.accumulator, local, again ? initial : 1)
  const result = costOf(estimation, expr.result)
  copyEstimates(estimation, expr, expr.result)
  pop(estimation, expr.accumulator)
  // cel-go makes an empty list for it.
  return capped(result + (again ? 0 : 10 + initial))
}
