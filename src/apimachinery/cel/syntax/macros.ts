import { accumulatorName, type ComprehensionExpr, type Expr } from './syntax.ts'

/** A call that may be a macro. */
export interface MacroCall {
  readonly name: string
  readonly offset: number
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

/** Reason why a macro cannot be expanded. */
export interface MacroFault {
  readonly fault: string
  readonly offset: number
}

type Expansion = Expr | MacroFault | undefined

/** Expands a macro as cel-go does; undefined for a call of a function. */
export function expandMacro(macro: MacroCall): Expansion {
  const { name, target, args } = macro
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(macro) : undefined
  if (name === 'bind' && target.kind === 'ident' && target.name === 'cel' && args.length === 3) return expandBind(macro)
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) return expandOptional(macro, target)
  if (name === 'sortBy' && args.length === 2) return expandSortBy(macro, target)
  const plan = comprehensions[name]
  if (plan === undefined) return undefined
  const variables = plan.variables(args.length)
  return variables === 0 ? undefined : expandComprehension(macro, target, plan, variables)
}

const literal = (offset: number, value: boolean | bigint): Expr => ({ kind: 'literal', offset, value })
const ident = (offset: number, name: string): Expr => ({ kind: 'ident', offset, name })
const list = (offset: number, ...elements: Expr[]): Expr => ({ kind: 'list', offset, elements, optional: new Set() })
const emptyMap = (offset: number): Expr => ({ kind: 'map', offset, entries: [] })
const operator = (offset: number, name: string, ...args: Expr[]): Expr => ({
  kind: 'call',
  offset,
  function: name,
  target: undefined,
  args,
})
const method = (offset: number, target: Expr, name: string): Expr => ({ kind: 'call', offset, function: name, target, args: [] })

interface Plan {
  /** Number of variables of the macro for this number of arguments; 0 when the call is no macro. */
  variables(args: number): 0 | 1 | 2
  initial(at: number): Expr
  condition(at: number, accumulator: Expr): Expr
  step(at: number, accumulator: Expr, variables: readonly Expr[], bodies: readonly Expr[]): Expr
  result?(at: number, accumulator: Expr): Expr
}

const always = (at: number): Expr => literal(at, true)
const predicate = (args: number): 0 | 1 | 2 => (args === 2 ? 1 : args === 3 ? 2 : 0)
const append = (at: number, accumulator: Expr, item: Expr): Expr => operator(at, '_+_', accumulator, list(at, item))

/** A step that is only taken when the first of two bodies holds. */
function filtered(take: (at: number, accumulator: Expr, variables: readonly Expr[], body: Expr) => Expr): Plan['step'] {
  return (at, accumulator, variables, [first, second]) => {
    if (first === undefined) return accumulator
    if (second === undefined) return take(at, accumulator, variables, first)
    return operator(at, '_?_:_', first, take(at, accumulator, variables, second), accumulator)
  }
}

const existsOne: Plan = {
  variables: predicate,
  initial: (at) => literal(at, 0n),
  condition: always,
  step: (at, accumulator, _, [body = accumulator]) =>
    operator(at, '_?_:_', body, operator(at, '_+_', accumulator, literal(at, 1n)), accumulator),
  result: (at, accumulator) => operator(at, '_==_', accumulator, literal(at, 1n)),
}

const transform = (args: number): 0 | 2 => (args === 3 || args === 4 ? 2 : 0)

const comprehensions: Readonly<Partial<Record<string, Plan>>> = {
  all: {
    variables: predicate,
    initial: (at) => literal(at, true),
    condition: (at, accumulator) => operator(at, '@not_strictly_false', accumulator),
    step: (at, accumulator, _, [body = accumulator]) => operator(at, '_&&_', accumulator, body),
  },
  exists: {
    variables: predicate,
    initial: (at) => literal(at, false),
    condition: (at, accumulator) => operator(at, '@not_strictly_false', operator(at, '!_', accumulator)),
    step: (at, accumulator, _, [body = accumulator]) => operator(at, '_||_', accumulator, body),
  },
  exists_one: existsOne,
  existsOne,
  map: {
    variables: (args) => (args === 2 || args === 3 ? 1 : 0),
    initial: list,
    condition: always,
    step: filtered((at, accumulator, _, body) => append(at, accumulator, body)),
  },
  filter: {
    variables: (args) => (args === 2 ? 1 : 0),
    initial: list,
    condition: always,
    step: (at, accumulator, [variable = accumulator], [body = accumulator]) =>
      operator(at, '_?_:_', body, append(at, accumulator, variable), accumulator),
  },
  transformList: {
    variables: transform,
    initial: list,
    condition: always,
    step: filtered((at, accumulator, _, body) => append(at, accumulator, body)),
  },
  transformMap: {
    variables: transform,
    initial: emptyMap,
    condition: always,
    step: filtered((at, accumulator, [key = accumulator], body) => operator(at, 'cel.@mapInsert', accumulator, key, body)),
  },
  transformMapEntry: {
    variables: transform,
    initial: emptyMap,
    condition: always,
    step: filtered((at, accumulator, _, body) => operator(at, 'cel.@mapInsert', accumulator, body)),
  },
}

function expandComprehension({ name, args, offset }: MacroCall, range: Expr, plan: Plan, count: 1 | 2): Expansion {
  const variables = args.slice(0, count)
  const names: string[] = []
  for (const variable of variables) {
    if (variable.kind !== 'ident') {
      const fault = name === 'map' || name === 'filter' ? 'argument is not an identifier' : 'argument must be a simple name'
      return { fault, offset: variable.offset }
    }
    if (variable.name === '__result__') return { fault: 'iteration variable overwrites accumulator variable', offset: variable.offset }
    if (names.includes(variable.name)) return { fault: `duplicate variable name: ${variable.name}`, offset: variable.offset }
    names.push(variable.name)
  }
  const accumulator = ident(offset, accumulatorName)
  const comprehension: ComprehensionExpr = {
    kind: 'comprehension',
    offset,
    range,
    variable: names[0] ?? '',
    second: names[1],
    accumulator: accumulatorName,
    initial: plan.initial(offset),
    condition: plan.condition(offset, accumulator),
    step: plan.step(offset, accumulator, variables, args.slice(count)),
    result: plan.result?.(offset, accumulator) ?? accumulator,
  }
  return comprehension
}

function expandHas({ args: [argument] }: MacroCall): Expansion {
  if (argument?.kind === 'select') return { ...argument, testOnly: true }
  return { fault: 'invalid argument to has() macro', offset: argument?.offset ?? 0 }
}

function bind(offset: number, name: string, value: Expr, result: Expr): Expr {
  const nothing = list(offset)
  return {
    kind: 'comprehension',
    offset,
    range: nothing,
    variable: '#unused',
    second: undefined,
    accumulator: name,
    initial: value,
    condition: literal(offset, false),
    step: ident(offset, name),
    result,
  }
}

function expandBind({ args: [variable, value, result], offset }: MacroCall): Expansion {
  if (variable?.kind !== 'ident' || value === undefined || result === undefined) {
    return { fault: 'cel.bind() variable names must be simple identifiers', offset: variable?.offset ?? offset }
  }
  return bind(offset, variable.name, value, result)
}

/** The target is bound to a name, so that a chain of these does not double with every link. */
function expandOptional({ name, args: [variable, body], offset }: MacroCall, target: Expr): Expansion {
  if (variable?.kind !== 'ident' || body === undefined) {
    return { fault: `${name}() variable name must be a simple identifier`, offset: variable?.offset ?? offset }
  }
  const given = ident(offset, '@optional')
  const inner = bind(offset, variable.name, method(offset, given, 'value'), body)
  const present = name === 'optMap' ? operator(offset, 'optional.of', inner) : inner
  return bind(
    offset,
    '@optional',
    target,
    operator(offset, '_?_:_', method(offset, given, 'hasValue'), present, operator(offset, 'optional.none')),
  )
}

function expandSortBy({ args: [variable, key], offset }: MacroCall, target: Expr): Expansion {
  if (variable?.kind !== 'ident' || key === undefined) {
    return { fault: 'sortBy() variable name must be a simple identifier', offset: variable?.offset ?? offset }
  }
  const given = ident(offset, '@sorted')
  const keys = expandMacro({ name: 'map', offset, target: given, args: [variable, key] })
  if (keys === undefined || 'fault' in keys) return keys
  return bind(offset, '@sorted', target, operator(offset, 'list.@sortByAssociatedKeys', given, keys))
}
