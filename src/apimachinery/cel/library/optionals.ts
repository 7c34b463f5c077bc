import { CelError } from '../errors.ts'
import { type Overload, overload } from '../types/signature.ts'
import { type CelOptional, type CelValue, isList, isOptionalValue, itemsOf, listValue, none, some } from '../values/values.ts'
import { indexList, indexMap } from './operators.ts'

const inner = (value: CelValue | undefined): CelValue | undefined => (value as CelOptional).value

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true
  if (typeof value !== 'object') return false
  if (value instanceof Uint8Array) return value.length === 0
  if (value.kind === 'list' || value.kind === 'map') return value.size === 0
  if (value.kind === 'uint') return value.value === 0n
  if (value.kind === 'duration') return value.nanos === 0n
  if (value.kind === 'optional') return value.value === undefined
  return false
}

function optionalIndex(find: (container: CelValue, key: CelValue) => CelValue | undefined): Overload['run'] {
  return ([given = null, key = null]) => {
    const container = isOptionalValue(given) ? given.value : given
    const found = container === undefined ? undefined : find(container, key)
    return found === undefined ? none : some(found)
  }
}

function valueOf([optional]: readonly CelValue[]): CelValue {
  const value = inner(optional)
  if (value === undefined) throw new CelError('optional.none() dereference')
  return value
}

const making: readonly Overload[] = [
  overload('optional_of', 'optional.of(V): optional(V)', ([value = null]) => some(value)),
  overload('optional_none', 'optional.none(): optional(V)', () => none),
  overload('optional_ofNonZeroValue', 'optional.ofNonZeroValue(V): optional(V)', ([value = null]) => (isZero(value) ? none : some(value))),
]

const using: readonly Overload[] = [
  overload('optional_value', 'optional(V).value(): V', valueOf),
  overload('optional_hasValue', 'optional(V).hasValue(): bool', ([optional]) => inner(optional) !== undefined),
  overload('optional_or_optional', 'optional(V).or(optional(V)): optional(V)', ([left = null, right = null]) =>
    inner(left) === undefined ? right : left,
  ),
  overload('optional_orValue_value', 'optional(V).orValue(V): V', ([left = null, right = null]) => inner(left) ?? right),
  overload('optional_unwrap', 'optional.unwrap(list(optional(V))): list(V)', unwrap),
  overload('optional_unwrapOpt', 'list(optional(V)).unwrapOpt(): list(V)', unwrap),
]

function unwrap([list = null]: readonly CelValue[]): CelValue {
  const items = isList(list) ? itemsOf(list).toArray() : []
  return listValue(items.flatMap((item) => (isOptionalValue(item) && item.value !== undefined ? [item.value] : [])))
}

const indexing: readonly Overload[] = [
  // Never called: the evaluator selects fields itself.
  overload('select_optional_field', '_?._(dyn, string): optional(V)', () => none),
  overload('list_optindex_optional_int', '_[?_](list(V), int): optional(V)', optionalIndex(indexList)),
  overload('optional_list_optindex_optional_int', '_[?_](optional(list(V)), int): optional(V)', optionalIndex(indexList)),
  overload('map_optindex_optional_value', '_[?_](map(K, V), K): optional(V)', optionalIndex(indexMap)),
  overload('optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K): optional(V)', optionalIndex(indexMap)),
  overload('optional_list_index_int', '_[_](optional(list(V)), int): optional(V)', optionalIndex(indexList)),
  overload('optional_map_index_value', '_[_](optional(map(K, V)), K): optional(V)', optionalIndex(indexMap)),
]

const ends: readonly Overload[] = [
  overload('list_first', 'list(V).first(): optional(V)', ([list = null]) => (isList(list) && list.size > 0 ? some(list.get(0)) : none)),
  overload('list_last', 'list(V).last(): optional(V)', ([list = null]) =>
    isList(list) && list.size > 0 ? some(list.get(list.size - 1)) : none,
  ),
]

/** Functions of optional values. */
export const optionals: readonly Overload[] = [...making, ...using, ...indexing, ...ends]
