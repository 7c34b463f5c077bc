import { CelCompileError, CelError, type CelIssue, issueAt } from '../errors.ts'
import { type CelEnvironment, overloadsOf } from '../environment.ts'
import { compileRegex } from '../library/text/regex.ts'
import type { Overload } from '../types/signature.ts'
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from '../syntax/syntax.ts'
import { parseDuration, parseTimestamp } from '../values/time.ts'
import * as types from '../types/types.ts'
import { type CelType, isOptional, showType } from '../types/types.ts'
import { typeNamed } from '../types/type-names.ts'
import { type Bindings, createBindings, moreGeneral, substitute, unify } from '../types/unify.ts'
import { kindOf } from '../values/values.ts'

/** Result of type checking an expression. */
export interface CheckedExpr {
  readonly expr: Expr
  readonly type: CelType
  typeOf(expr: Expr): CelType
  /** Overloads that the call can resolve to; with dyn arguments, the values decide. */
  overloadsOf(call: CallExpr): readonly Overload[]
  /** Name of the type that an identifier or a chain of identifiers denotes. */
  typeLiteral(expr: Expr): string | undefined
  /**
   * The name of the variable that a chain of identifiers is, when variables have dots in their
   * names: `authorizer.requestResource`.
   */
  qualifiedVariable(expr: Expr): string | undefined
}

interface Scope {
  readonly name: string
  readonly type: CelType
  readonly outer: Scope | undefined
}

interface Checker {
  readonly environment: CelEnvironment
  readonly source: string
  readonly issues: CelIssue[]
  readonly types: Map<Expr, CelType>
  readonly calls: Map<Expr, readonly Overload[]>
  readonly literals: Map<Expr, string>
  readonly qualified: Map<Expr, string>
  readonly bindings: Bindings
  fresh: number
}

/** An error has been reported; dyn keeps it from causing more. */
const unknown = types.dyn

/** Finds the types of an expression. @throws CelCompileError with every fault */
export function checkExpression(expr: Expr, source: string, environment: CelEnvironment): CheckedExpr {
  const checker: Checker = {
    environment,
    source,
    issues: [],
    types: new Map(),
    calls: new Map(),
    literals: new Map(),
    qualified: new Map(),
    bindings: createBindings(),
    fresh: 0,
  }
  check(checker, expr, undefined)
  if (checker.issues.length > 0) {
    throw new CelCompileError(
      checker.issues.toSorted((a, b) => a.line - b.line || a.column - b.column),
      source,
    )
  }
  const typeOf = (inner: Expr): CelType => substitute(checker.bindings, checker.types.get(inner) ?? types.dyn, true)
  return {
    expr,
    type: typeOf(expr),
    typeOf,
    overloadsOf: (call) => checker.calls.get(call) ?? [],
    typeLiteral: (inner) => checker.literals.get(inner),
    qualifiedVariable: (inner) => checker.qualified.get(inner),
  }
}

function report(checker: Checker, offset: number, message: string): CelType {
  checker.issues.push(issueAt(checker.source, offset, message))
  return unknown
}

function check(checker: Checker, expr: Expr, scope: Scope | undefined): CelType {
  const type = find(checker, expr, scope)
  checker.types.set(expr, type)
  return type
}

function find(checker: Checker, expr: Expr, scope: Scope | undefined): CelType {
  switch (expr.kind) {
    case 'literal':
      return literalType(expr.value)
    case 'ident':
      return (
        resolve(checker, expr, expr.name, scope) ?? report(checker, expr.offset, `undeclared reference to '${expr.name}' (in container '')`)
      )
    case 'select':
      return checkSelect(checker, expr, scope)
    case 'call':
      return checkCall(checker, expr, scope)
    case 'list':
      return checkList(checker, expr, scope)
    case 'map':
      return checkMap(checker, expr, scope)
    case 'comprehension':
      return checkComprehension(checker, expr, scope)
  }
}

function literalType(value: Extract<Expr, { kind: 'literal' }>['value']): CelType {
  const kind = kindOf(value)
  return kind === 'null' ? types.nullType : ({ kind } as CelType)
}

function lookUp(scope: Scope | undefined, name: string): CelType | undefined {
  for (let each = scope; each !== undefined; each = each.outer) if (each.name === name) return each.type
  return undefined
}

function resolve(checker: Checker, expr: Expr, name: string, scope: Scope | undefined): CelType | undefined {
  const variable = lookUp(scope, name) ?? checker.environment.variables.get(name)
  if (variable !== undefined) return variable
  const type = typeNamed(name)
  if (type === undefined) return undefined
  checker.literals.set(expr, types.typeName(type))
  return types.typeOf(type)
}

/** `a.b.c` when an expression is nothing but that. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const operand = qualifiedName(expr.operand)
  return operand === undefined ? undefined : `${operand}.${expr.field}`
}

function rootOf(name: string): string {
  return name.split('.', 1)[0] ?? name
}

function isVariable(checker: Checker, name: string, scope: Scope | undefined): boolean {
  return lookUp(scope, rootOf(name)) !== undefined || checker.environment.variables.has(rootOf(name))
}

function checkSelect(checker: Checker, expr: SelectExpr, scope: Scope | undefined): CelType {
  const name = expr.testOnly ? undefined : qualifiedName(expr)
  const variable = name === undefined ? undefined : checker.environment.variables.get(name)
  if (name !== undefined && variable !== undefined && lookUp(scope, rootOf(name)) === undefined) {
    checker.qualified.set(expr, name)
    return variable
  }
  if (name !== undefined && !isVariable(checker, name, scope)) {
    const type = resolve(checker, expr, name, scope)
    if (type !== undefined) return type
  }
  const operand = check(checker, expr.operand, scope)
  const field = checkField(checker, expr.offset, operand, expr.field, expr.testOnly)
  return expr.testOnly ? types.bool : field
}

function checkField(checker: Checker, offset: number, given: CelType, field: string, optionalTest = false): CelType {
  const operand = substitute(checker.bindings, given)
  if (isOptional(operand)) {
    const inner = checkField(checker, offset, operand.parameters[0] ?? types.dyn, field)
    return optionalTest ? types.bool : types.optionalOf(inner)
  }
  if (operand.kind === 'dyn') return types.dyn
  if (operand.kind === 'parameter') {
    unify(checker.bindings, types.dyn, operand)
    return types.dyn
  }
  if (operand.kind === 'map') return operand.value
  if (operand.kind === 'object') return operand.fields.get(field)?.type ?? report(checker, offset, `undefined field '${field}'`)
  return report(checker, offset, `type '${showType(operand)}' does not support field selection`)
}

function checkCall(checker: Checker, expr: CallExpr, scope: Scope | undefined): CelType {
  const { target, args } = expr
  if (expr.function === '_?._') return checkOptionalSelect(checker, expr, scope)
  if (expr.function === '_&&_' || expr.function === '_||_') {
    for (const arg of args) expectType(checker, arg, check(checker, arg, scope), types.bool)
    checker.calls.set(expr, overloadsOf(expr.function))
    return types.bool
  }
  if (target === undefined) {
    return resolveCall(
      checker,
      expr,
      expr.function,
      args.map((arg) => check(checker, arg, scope)),
      false,
    )
  }
  const prefix = qualifiedName(target)
  if (prefix !== undefined && !isVariable(checker, prefix, scope)) {
    const name = `${prefix}.${expr.function}`
    if (overloadsOf(name).length > 0) {
      return resolveCall(
        checker,
        expr,
        name,
        args.map((arg) => check(checker, arg, scope)),
        false,
      )
    }
  }
  const isFormat = expr.function === 'format'
  const given = [target, ...args].map((arg) =>
    isFormat && arg.kind === 'list' ? checkMixedList(checker, arg, scope) : check(checker, arg, scope),
  )
  return resolveCall(checker, expr, expr.function, given, true)
}

function checkOptionalSelect(checker: Checker, expr: CallExpr, scope: Scope | undefined): CelType {
  const [operand, field] = expr.args
  if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return unknown
  const given = substitute(checker.bindings, check(checker, operand, scope))
  checker.types.set(field, types.string)
  const type = checkField(checker, expr.offset, given, field.value)
  checker.calls.set(expr, overloadsOf('_?._'))
  return isOptional(given) ? type : types.optionalOf(type)
}

/** Parameters of an overload get names of their own with each call. */
function instantiate(checker: Checker, { parameters, result }: Overload): { parameters: readonly CelType[]; result: CelType } {
  if (![...parameters, result].some(isGeneric)) return { parameters, result }
  checker.fresh += 1
  const names = createBindings()
  for (const name of ['A', 'B', 'K', 'T', 'U', 'V']) names.set(name, { kind: 'parameter', name: `${name}${checker.fresh}` })
  return { parameters: parameters.map((each) => substitute(names, each)), result: substitute(names, result) }
}

function isGeneric(type: CelType): boolean {
  if (type.kind === 'parameter') return true
  if (type.kind === 'list') return isGeneric(type.element)
  if (type.kind === 'map') return isGeneric(type.key) || isGeneric(type.value)
  if (type.kind === 'opaque') return type.parameters.some(isGeneric)
  if (type.kind === 'type') return isGeneric(type.of)
  return false
}

function resolveCall(checker: Checker, expr: CallExpr, name: string, given: readonly CelType[], member: boolean): CelType {
  const all = overloadsOf(name)
  if (all.length === 0) return report(checker, expr.offset, `undeclared reference to '${name}' (in container '')`)
  const fitting: Overload[] = []
  let result: CelType | undefined
  for (const overload of all) {
    if (overload.member !== member || overload.parameters.length !== given.length) continue
    const instance = instantiate(checker, overload)
    const { bindings } = checker
    const fits = (): boolean => instance.parameters.every((parameter, index) => unify(bindings, given[index] ?? types.dyn, parameter))
    if (!bindings.attempt(fits)) continue
    fitting.push(overload)
    const type = substitute(bindings, instance.result)
    result = result === undefined || showType(result) === showType(type) ? type : types.dyn
  }
  checker.calls.set(expr, fitting)
  checkLiteral(checker, name, expr)
  if (result !== undefined) return result
  const shown = given.map((type) => showType(substitute(checker.bindings, type, true)))
  const applied = member ? `${shown[0] ?? ''}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`
  return report(checker, expr.offset, `found no matching overload for '${name}' applied to '${applied}'`)
}

/** Refuses literals whose conversion always fails. */
function checkLiteral(checker: Checker, name: string, { args }: CallExpr): void {
  const literal = args.at(-1)
  const test = literalTests[name]
  if (test === undefined || literal?.kind !== 'literal' || typeof literal.value !== 'string') return
  try {
    test(literal.value)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    report(checker, literal.offset, `invalid ${name} argument`)
  }
}

const literalTests: Readonly<Partial<Record<string, (text: string) => unknown>>> = {
  duration: parseDuration,
  timestamp: parseTimestamp,
  matches: compileRegex,
}

/** In Kubernetes all items of a list literal have one type. */
function join(checker: Checker, offset: number, previous: CelType | undefined, current: CelType): CelType {
  if (previous === undefined) return current
  const { bindings } = checker
  if (bindings.attempt(() => unify(bindings, current, previous))) {
    const before = substitute(bindings, previous)
    const now = substitute(bindings, current)
    if (showType(before) === showType(now)) return moreGeneral(before, now)
  }
  return report(checker, offset, `expected type '${showType(previous)}' but found '${showType(current)}'`)
}

function entryType(checker: Checker, expr: Expr, scope: Scope | undefined, optional: boolean): CelType {
  const type = substitute(checker.bindings, check(checker, expr, scope))
  if (!optional || type.kind === 'dyn') return type
  if (isOptional(type)) return type.parameters[0] ?? types.dyn
  return report(checker, expr.offset, `expected type 'optional_type(${showType(type)})' but found '${showType(type)}'`)
}

function freshParameter(checker: Checker): CelType {
  checker.fresh += 1
  return { kind: 'parameter', name: `_${checker.fresh}` }
}

function checkList(checker: Checker, expr: ListExpr, scope: Scope | undefined): CelType {
  let element: CelType | undefined
  for (const [index, each] of expr.elements.entries()) {
    element = join(checker, each.offset, element, entryType(checker, each, scope, expr.optional.has(index)))
  }
  return types.listOf(element ?? freshParameter(checker))
}

/** The arguments of `format` may have mixed types. */
function checkMixedList(checker: Checker, expr: ListExpr, scope: Scope | undefined): CelType {
  for (const each of expr.elements) check(checker, each, scope)
  const type = types.listOf(types.dyn)
  checker.types.set(expr, type)
  return type
}

function checkMap(checker: Checker, expr: MapExpr, scope: Scope | undefined): CelType {
  let key: CelType | undefined
  let value: CelType | undefined
  for (const entry of expr.entries) {
    key = join(checker, entry.key.offset, key, check(checker, entry.key, scope))
    value = join(checker, entry.value.offset, value, entryType(checker, entry.value, scope, entry.optional))
  }
  return types.mapOf(key ?? freshParameter(checker), value ?? freshParameter(checker))
}

function iterated(checker: Checker, offset: number, range: CelType): { key: CelType; value: CelType; single: CelType } {
  if (range.kind === 'list') return { key: types.int, value: range.element, single: range.element }
  if (range.kind === 'map') return { key: range.key, value: range.value, single: range.key }
  if (range.kind === 'parameter' || range.kind === 'dyn') {
    unify(checker.bindings, types.dyn, range)
    return { key: types.dyn, value: types.dyn, single: types.dyn }
  }
  report(checker, offset, `expression of type '${showType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`)
  return { key: unknown, value: unknown, single: unknown }
}

function checkComprehension(checker: Checker, expr: ComprehensionExpr, scope: Scope | undefined): CelType {
  const range = substitute(checker.bindings, check(checker, expr.range, scope))
  const initial = check(checker, expr.initial, scope)
  const { key, value, single } = iterated(checker, expr.range.offset, range)
  const accumulating: Scope = { name: expr.accumulator, type: initial, outer: scope }
  const looping: Scope =
    expr.second === undefined
      ? { name: expr.variable, type: single, outer: accumulating }
      : { name: expr.second, type: value, outer: { name: expr.variable, type: key, outer: accumulating } }
  expectType(checker, expr.condition, check(checker, expr.condition, looping), types.bool)
  expectType(checker, expr.step, check(checker, expr.step, looping), initial)
  return check(checker, expr.result, accumulating)
}

function expectType(checker: Checker, expr: Expr, found: CelType, wanted: CelType): void {
  const { bindings } = checker
  if (bindings.attempt(() => unify(bindings, found, wanted))) return
  const show = (type: CelType): string => showType(substitute(bindings, type, true))
  report(checker, expr.offset, `expected type '${show(wanted)}' but found '${show(found)}'`)
}
