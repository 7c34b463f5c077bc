import type { CelBudget } from '../budget.ts'
import * as types from './types.ts'
import type { CelType } from './types.ts'
import type { CelValue } from '../values/values.ts'

/** One overload of a function. */
export interface Overload {
  /** cel-go's name of it. */
  readonly id: string
  readonly name: string
  /** Reports whether the overload is a method of its first parameter. */
  readonly member: boolean
  readonly parameters: readonly CelType[]
  readonly result: CelType
  /** @throws CelError when there is no result */
  readonly run: (args: readonly CelValue[], budget: CelBudget) => CelValue
  /** Cost of a call, known before it runs. Default 1. */
  readonly cost: ((args: readonly CelValue[]) => number) | undefined
  /** Cost that depends on the result; then the function itself has to count its work. */
  readonly resultCost: ((result: CelValue, args: readonly CelValue[]) => number) | undefined
}

/** A signature in the tables of functions is malformed: a programming error. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError'
}

type Run = (args: readonly CelValue[], budget: CelBudget) => CelValue
type Costs = Partial<Pick<Overload, 'cost' | 'resultCost'>>

const named: Readonly<Record<string, CelType>> = {
  dyn: types.dyn,
  null: types.nullType,
  bool: types.bool,
  int: types.int,
  uint: types.uint,
  double: types.double,
  string: types.string,
  bytes: types.bytes,
  timestamp: types.timestamp,
  duration: types.duration,
  Quantity: types.opaque('kubernetes.Quantity'),
  Semver: types.opaque('kubernetes.Semver'),
  URL: types.opaque('kubernetes.URL'),
  Format: types.opaque('kubernetes.NamedFormat'),
  IP: types.opaque('net.IP'),
  CIDR: types.opaque('net.CIDR'),
  Authorizer: types.opaque('kubernetes.authorization.Authorizer'),
  PathCheck: types.opaque('kubernetes.authorization.PathCheck'),
  GroupCheck: types.opaque('kubernetes.authorization.GroupCheck'),
  ResourceCheck: types.opaque('kubernetes.authorization.ResourceCheck'),
  Decision: types.opaque('kubernetes.authorization.Decision'),
}

/** The types that only Kubernetes' functions know, by their short names in signatures. */
export function libraryType(name: string): CelType {
  const type = named[name]
  if (type === undefined) throw new SignatureError(`${name} is no type of a library`)
  return type
}

/**
 * Reads a type: `list(T)`, `optional_type(string)`. Capital letters alone are parameters. @throws
 * SignatureError when it is none
 */
function parseType(text: string): CelType {
  const open = text.indexOf('(')
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return { kind: 'parameter', name: text }
    return libraryType(text)
  }
  const inner = splitTypes(text.slice(open + 1, -1)).map(parseType)
  const [first = types.dyn, second = types.dyn] = inner
  switch (text.slice(0, open)) {
    case 'list':
      return types.listOf(first)
    case 'map':
      return types.mapOf(first, second)
    case 'type':
      return types.typeOf(first)
    case 'optional':
      return types.optionalOf(first)
    default:
      throw new SignatureError(`${text} is no type`)
  }
}

function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += character
  }
  return part.trim() === '' ? parts : [...parts, part.trim()]
}

/** The signature of a method of a type starts with the type: `string.charAt`, `list(T).sum`. */
const receivers = /^((?:list|map|optional|type)\(.*?\)+|[A-Za-z]+)\.([A-Za-z@]+)\(/

/**
 * Declares a function: `string.charAt(int): string` is a method, `math.abs(int): int` a function
 * with a qualified name.
 */
export function overload(id: string, signature: string, run: Run, { cost, resultCost }: Costs = {}): Overload {
  const colon = signature.lastIndexOf('): ')
  const result = parseType(signature.slice(colon + 3))
  const method = receivers.exec(signature)
  const member = method !== null && isType(method[1] ?? '')
  const open = member ? (method?.[0].length ?? 0) - 1 : signature.indexOf('(')
  const parameters = splitTypes(signature.slice(open + 1, colon)).map(parseType)
  const receiver = method?.[1] ?? ''
  return {
    id,
    name: member ? (method?.[2] ?? '') : signature.slice(0, open),
    member,
    parameters: member ? [parseType(receiver), ...parameters] : parameters,
    result,
    run,
    cost,
    resultCost,
  }
}

function isType(text: string): boolean {
  return text.includes('(') || Object.hasOwn(named, text) || /^[A-Z]$/.test(text)
}
