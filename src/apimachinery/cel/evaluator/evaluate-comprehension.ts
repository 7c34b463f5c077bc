import { CelBudgetError, CelError, noSuchOverload } from '../errors.ts'
import type { CompileStep, Frame, Slots, Step } from './frame.ts'
import { accumulatorName, type ComprehensionExpr, type Expr } from '../syntax/syntax.ts'
import { type CelMap, type CelValue, isList, isMap, isOptionalValue, kindOf, listValue, mapKey, mapValue } from '../values/values.ts'

/**
 * Compiles the loops of macros. `cel.bind` and similar macros become no loop; they only name a
 * value.
 */
export function compileComprehension(expr: ComprehensionExpr, compile: CompileStep, outer: Slots | undefined): Step {
  const next = (outer?.slot ?? -1) + 1
  const accumulating: Slots = { name: expr.accumulator, slot: next, outer }
  const initial = compile(expr.initial, outer)
  if (expr.accumulator !== accumulatorName) {
    const result = compile(expr.result, accumulating)
    const twice = expr.accumulator === '@optional'
    return (frame) => {
      const before = frame.budget.spent
      const value = initial(frame)
      // cel-go would evaluate the target of optMap twice when there is a value.
      if (twice && isOptionalValue(value) && value.value !== undefined) frame.budget.spend(frame.budget.spent - before)
      frame.slots[next] = value
      return result(frame)
    }
  }
  return expr.initial.kind === 'literal' ? compileLoop(expr, compile, outer, next) : compileCollection(expr, compile, outer, next)
}

function loopSlots({ variable, second, accumulator }: ComprehensionExpr, outer: Slots | undefined, next: number): Slots {
  const first: Slots = { name: variable, slot: next + 1, outer: { name: accumulator, slot: next, outer } }
  return second === undefined ? first : { name: second, slot: next + 2, outer: first }
}

/**
 * Runs a body for each item of a list or key of a map, with the variables in their slots; until it
 * returns false.
 */
function iterate(range: CelValue, two: boolean, next: number, frame: Frame, body: () => boolean): void {
  const { slots } = frame
  if (isList(range)) {
    for (let index = 0; index < range.size; index += 1) {
      slots[next + 1] = two ? BigInt(index) : range.get(index)
      if (two) slots[next + 2] = range.get(index)
      if (!body()) return
    }
  } else if (isMap(range)) {
    for (const key of range.keys()) {
      slots[next + 1] = key
      if (two) slots[next + 2] = range.get(key) ?? null
      if (!body()) return
    }
  } else throw new CelError(`got '${kindOf(range)}', expected iterable type`)
}

/**
 * all, exists and existsOne: the accumulator is a bool or a number, and a later item may absorb an
 * error in it.
 */
function compileLoop(expr: ComprehensionExpr, compile: CompileStep, outer: Slots | undefined, next: number): Step {
  const slots = loopSlots(expr, outer, next)
  const range = compile(expr.range, outer)
  const two = expr.second !== undefined
  const quantifier = expr.step.kind === 'call' ? expr.step : undefined
  const body = quantifier?.args[quantifier.function === '_?_:_' ? 0 : 1] ?? expr.step
  const predicate = compile(body, slots)
  if (quantifier?.function === '_?_:_') return countingLoop({ range, predicate, two, next })
  const decisive = quantifier?.function === '_||_'
  return (frame) => {
    const values = range(frame)
    let failure: CelError | undefined
    let outcome: boolean = !decisive
    let left = sizeOfRange(values)
    iterate(values, two, next, frame, () => {
      // Cost of condition and step in cel-go: the accumulator twice, and the call that reads it.
      frame.budget.spend(decisive ? 4 : 3)
      const value = attemptPredicate(predicate, frame)
      left -= 1
      if (value === decisive) outcome = decisive
      else if (value instanceof CelError) failure ??= value
      return value !== decisive
    })
    // That the loop is over is only seen when the next item is due.
    if (outcome === decisive && left > 0) frame.budget.spend(decisive ? 3 : 2)
    if (failure !== undefined && outcome !== decisive) throw failure
    frame.budget.spend(1)
    return outcome
  }
}

function sizeOfRange(range: CelValue): number {
  return isList(range) || isMap(range) ? range.size : 0
}

interface Loop {
  readonly range: Step
  readonly predicate: Step
  readonly two: boolean
  readonly next: number
}

function countingLoop({ range, predicate, two, next }: Loop): Step {
  return (frame) => {
    const values = range(frame)
    let count = 0
    iterate(values, two, next, frame, () => {
      const value = predicate(frame)
      if (typeof value !== 'boolean') throw noSuchOverload()
      if (value) count += 1
      if (value) frame.budget.spend(2)
      return true
    })
    frame.budget.spend(2)
    return count === 1
  }
}

/** As much work as an error is that a macro absorbs. */
const absorbedError = 25

function attemptPredicate(predicate: Step, frame: Frame): boolean | CelError {
  try {
    const value = predicate(frame)
    return typeof value === 'boolean' ? value : noSuchOverload()
  } catch (error) {
    if (!(error instanceof CelError) || error instanceof CelBudgetError) throw error
    frame.budget.work(absorbedError)
    return error
  }
}

/**
 * Map, filter and the transforming macros: they collect into a value that is mutated, because
 * nothing else refers to it.
 */
function compileCollection(expr: ComprehensionExpr, compile: CompileStep, outer: Slots | undefined, next: number): Step {
  const slots = loopSlots(expr, outer, next)
  const range = compile(expr.range, outer)
  const two = expr.second !== undefined
  const { filter, take } = splitStep(expr.step)
  const accept = filter === undefined ? undefined : compile(filter, slots)
  const parts = collected(take).map((each) => compile(each, slots))
  const isMapping = expr.initial.kind === 'map'
  const [first, second] = parts
  // Cost per item: the accumulator, a list literal unless it is constant, and the call that adds.
  const perItem = isMapping || collected(take).every(({ kind }) => kind === 'literal') ? 2 : 12
  return (frame) => {
    const values = range(frame)
    const items: CelValue[] = []
    const entries = new Map<string, readonly [CelValue, CelValue]>()
    iterate(values, two, next, frame, () => {
      if (accept !== undefined) {
        const taken = accept(frame)
        if (typeof taken !== 'boolean') throw noSuchOverload()
        if (!taken) return true
      }
      const value = first?.(frame) ?? null
      frame.budget.spend(perItem)
      if (!isMapping) items.push(value)
      else if (second !== undefined) insert(entries, value, second(frame))
      else insertAll(entries, value)
      return true
    })
    frame.budget.spend(1)
    return isMapping ? mapValue(entries.values()) : listValue(items)
  }
}

function insert(entries: Map<string, readonly [CelValue, CelValue]>, key: CelValue, value: CelValue): void {
  const text = mapKey(key)
  if (text === undefined) throw new CelError('unsupported key type')
  if (entries.has(text)) throw new CelError(`insert failed: key ${text.slice(1)} already exists`)
  entries.set(text, [key, value])
}

function insertAll(entries: Map<string, readonly [CelValue, CelValue]>, added: CelValue): void {
  if (!isMap(added)) throw noSuchOverload()
  const map: CelMap = added
  for (const key of map.keys()) insert(entries, key, map.get(key) ?? null)
}

function splitStep(step: Expr): { filter: Expr | undefined; take: Expr } {
  if (step.kind !== 'call' || step.function !== '_?_:_') return { filter: undefined, take: step }
  return { filter: step.args[0], take: step.args[1] ?? step }
}

/**
 * Expressions that a step adds: the item of a list, the key and value of a map, or a map of
 * entries.
 */
function collected(take: Expr): readonly Expr[] {
  if (take.kind !== 'call') return []
  const [, added, value] = take.args
  if (added === undefined) return []
  if (take.function === '_+_' && added.kind === 'list') return added.elements
  return value === undefined ? [added] : [added, value]
}
