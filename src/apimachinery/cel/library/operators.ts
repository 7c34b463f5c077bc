import { compareValues } from '../values/compare.ts'
import { celEqual, numeric } from '../values/equality.ts'
import { CelError, noSuchOverload } from '../errors.ts'
import { type Overload, overload } from '../types/signature.ts'
import { joinLists } from '../evaluator/list-joining.ts'
import { type CelUint, type CelValue, isList, isMap, itemsOf, uintValue } from '../values/values.ts'
import { comparison, sizeOf, traversalFactor } from './costs.ts'

const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

/** @throws CelError when the number does not fit an int */
export function checkedInt(value: bigint): bigint {
  if (value < minInt || value > maxInt) throw new CelError('integer overflow')
  return value
}

/** @throws CelError when the number does not fit a uint */
export function checkedUint(value: bigint): CelUint {
  if (value < 0n || value > maxUint) throw new CelError('unsigned integer overflow')
  return uintValue(value)
}

function ints(operation: (left: bigint, right: bigint) => bigint): Overload['run'] {
  return ([left, right]) => checkedInt(operation(left as bigint, right as bigint))
}

function uints(operation: (left: bigint, right: bigint) => bigint): Overload['run'] {
  return ([left, right]) => checkedUint(operation((left as CelUint).value, (right as CelUint).value))
}

function doubles(operation: (left: number, right: number) => number): Overload['run'] {
  return ([left, right]) => operation(left as number, right as number)
}

function divide(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelError('division by zero')
  return left / right
}

function modulo(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelError('modulus by zero')
  return left % right
}

const concatenation = {
  cost: (args: readonly CelValue[]): number => Math.ceil((sizeOf(args, 0) + sizeOf(args, 1)) * traversalFactor),
}

const arithmetic: readonly Overload[] = [
  overload(
    'add_int64',
    '_+_(int, int): int',
    ints((left, right) => left + right),
  ),
  overload(
    'add_uint64',
    '_+_(uint, uint): uint',
    uints((left, right) => left + right),
  ),
  overload(
    'add_double',
    '_+_(double, double): double',
    doubles((left, right) => left + right),
  ),
  overload('add_string', '_+_(string, string): string', ([left, right]) => `${left as string}${right as string}`, concatenation),
  overload(
    'add_bytes',
    '_+_(bytes, bytes): bytes',
    ([left, right]) => Uint8Array.of(...(left as Uint8Array), ...(right as Uint8Array)),
    concatenation,
  ),
  overload('add_list', '_+_(list(A), list(A)): list(A)', ([left, right], budget) => {
    if (left === undefined || right === undefined || !isList(left) || !isList(right)) throw noSuchOverload()
    return joinLists(left, right, budget)
  }),
  overload(
    'subtract_int64',
    '_-_(int, int): int',
    ints((left, right) => left - right),
  ),
  overload(
    'subtract_uint64',
    '_-_(uint, uint): uint',
    uints((left, right) => left - right),
  ),
  overload(
    'subtract_double',
    '_-_(double, double): double',
    doubles((left, right) => left - right),
  ),
  overload(
    'multiply_int64',
    '_*_(int, int): int',
    ints((left, right) => left * right),
  ),
  overload(
    'multiply_uint64',
    '_*_(uint, uint): uint',
    uints((left, right) => left * right),
  ),
  overload(
    'multiply_double',
    '_*_(double, double): double',
    doubles((left, right) => left * right),
  ),
  overload('divide_int64', '_/_(int, int): int', ints(divide)),
  overload('divide_uint64', '_/_(uint, uint): uint', uints(divide)),
  overload(
    'divide_double',
    '_/_(double, double): double',
    doubles((left, right) => left / right),
  ),
  overload('modulo_int64', '_%_(int, int): int', ints(modulo)),
  overload('modulo_uint64', '_%_(uint, uint): uint', uints(modulo)),
  overload('negate_int64', '-_(int): int', ([value]) => checkedInt(-(value as bigint))),
  overload('negate_double', '-_(double): double', ([value]) => -(value as number)),
]

const nothing = (): never => {
  throw noSuchOverload()
}

/**
 * The first three are evaluated without calling them, for they do not always look at all operands.
 */
const logical: readonly Overload[] = [
  overload('logical_and', '_&&_(bool, bool): bool', nothing),
  overload('logical_or', '_||_(bool, bool): bool', nothing),
  overload('conditional', '_?_:_(bool, A, A): A', nothing),
  overload('not_strictly_false', '@not_strictly_false(bool): bool', nothing),
  overload('logical_not', '!_(bool): bool', ([value]) => value === false),
  overload('equals', '_==_(A, A): bool', ([left = null, right = null], budget) => celEqual(left, right, budget), {
    cost: equalityCost,
  }),
  overload('not_equals', '_!=_(A, A): bool', ([left = null, right = null], budget) => !celEqual(left, right, budget), { cost: comparison }),
  overload(
    'in_list',
    '@in(A, list(A)): bool',
    ([item = null, list = null], budget) => isList(list) && itemsOf(list).some((each) => celEqual(each, item, budget)),
    {
      cost: (args) => sizeOf(args, 1),
    },
  ),
  overload('in_map', '@in(A, map(A, B)): bool', ([key = null, map = null]) => isMap(map) && map.has(key)),
]

/** Values of Kubernetes' own types are compared at a flat price. */
function equalityCost(args: readonly CelValue[]): number {
  const [left] = args
  return typeof left === 'object' && left !== null && 'kind' in left && left.kind === 'opaque' ? 1 : comparison(args)
}

const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'] as const
const numbers: readonly string[] = ['int', 'uint', 'double']

const tests: readonly [string, string, (order: number) => boolean][] = [
  ['less', '_<_', (order) => order < 0],
  ['less_equals', '_<=_', (order) => order <= 0],
  ['greater', '_>_', (order) => order > 0],
  ['greater_equals', '_>=_', (order) => order >= 0],
]

const costs = (type: string): Parameters<typeof overload>[3] => (type === 'string' || type === 'bytes' ? { cost: comparison } : {})

/** Numbers of different types are compared by value. */
const ordering: readonly Overload[] = tests.flatMap(([id, name, holds]) =>
  ordered.flatMap((left) =>
    ordered
      .filter((right) => right === left || (numbers.includes(left) && numbers.includes(right)))
      .map((right) =>
        overload(
          left === right ? `${id}_${left}` : `${id}_${left}_${right}`,
          `${name}(${left}, ${right}): bool`,
          ([a = null, b = null]) => holds(compareValues(a, b)),
          costs(left),
        ),
      ),
  ),
)

/** @throws CelError when the index is no whole number or outside of the list */
function indexOf(index: CelValue): number {
  const number = numeric(index)
  if (number === undefined) throw noSuchOverload()
  if (typeof number === 'number' && !Number.isInteger(number)) throw new CelError(`unsupported index value: ${number}`)
  return Number(number)
}

/** An item of a list; undefined when there is none. */
export function indexList(list: CelValue, index: CelValue): CelValue | undefined {
  if (!isList(list)) throw noSuchOverload()
  const at = indexOf(index)
  return at < 0 || at >= list.size ? undefined : list.get(at)
}

/** A value of a map; undefined when there is none. */
export function indexMap(map: CelValue, key: CelValue): CelValue | undefined {
  if (!isMap(map)) throw noSuchOverload()
  return map.get(key)
}

function showKey(key: CelValue): string {
  const number = numeric(key)
  return number === undefined ? String(key as string | boolean) : String(number)
}

const indexing: readonly Overload[] = [
  overload('index_list', '_[_](list(A), int): A', ([list = null, index = null]) => {
    const item = indexList(list, index)
    if (item === undefined) throw new CelError(`index out of bounds: ${showKey(index)}`)
    return item
  }),
  overload('index_map', '_[_](map(A, B), A): B', ([map = null, key = null]) => {
    const value = indexMap(map, key)
    if (value === undefined) throw new CelError(`no such key: ${showKey(key)}`)
    return value
  }),
]

/** Overloads of all operators. */
export const operators: readonly Overload[] = [...arithmetic, ...logical, ...ordering, ...indexing]
