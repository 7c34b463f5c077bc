import type { CelBudget } from '../budget.ts'
import { compareValues } from '../values/compare.ts'
import { celEqual } from '../values/equality.ts'
import { CelError, noSuchOverload } from '../errors.ts'
import { type Overload, overload } from '../types/signature.ts'
import { type CelList, type CelUint, type CelValue, durationValue, isList, itemsOf, listValue, mapKey } from '../values/values.ts'
import { sizeOf, traversalFactor } from './costs.ts'
import { checkedInt, checkedUint } from './operators.ts'

const items = (list: CelValue | undefined): CelValue[] => itemsOf(list as CelList).toArray()

/** Cost of traversing a value. */
function walkCost(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(value.length * traversalFactor)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalFactor)
  if (value.kind === 'list') return itemsOf(value).reduce<number>((sum, item) => sum + walkCost(item), 0)
  if (value.kind !== 'map') return 1
  return Iterator.from(value.keys()).reduce<number>((sum, key) => sum + walkCost(key) + walkCost(value.get(key) ?? null), 0)
}

const walk = { cost: (args: readonly CelValue[]): number => walkCost(args[0] ?? null) }

function isSorted(list: CelValue | undefined): boolean {
  const all = items(list)
  return all.every((item, index) => index === 0 || compareValues(all[index - 1] ?? null, item) <= 0)
}

function extreme(list: CelValue | undefined, name: string, sign: 1 | -1): CelValue {
  const [first, ...rest] = items(list)
  if (first === undefined) throw new CelError(`${name} called on empty list`)
  return rest.reduce((best, item) => (compareValues(item, best) * sign > 0 ? item : best), first)
}

function find(list: CelValue | undefined, wanted: CelValue, last: boolean, budget: CelBudget): bigint {
  const all = items(list)
  const same = (item: CelValue): boolean => celEqual(item, wanted, budget)
  return BigInt(last ? all.findLastIndex(same) : all.findIndex(same))
}

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const

const sums: readonly Overload[] = [
  overload(
    'list_int_sum',
    'list(int).sum(): int',
    ([list]) => items(list).reduce((sum: bigint, item) => checkedInt(sum + (item as bigint)), 0n),
    walk,
  ),
  overload(
    'list_uint_sum',
    'list(uint).sum(): uint',
    ([list]) => items(list).reduce((sum: CelUint, item) => checkedUint(sum.value + (item as CelUint).value), checkedUint(0n)),
    walk,
  ),
  overload(
    'list_double_sum',
    'list(double).sum(): double',
    ([list]) => items(list).reduce((sum: number, item) => sum + (item as number), 0),
    walk,
  ),
  overload(
    'list_duration_sum',
    'list(duration).sum(): duration',
    ([list]) => durationValue(checkedInt(items(list).reduce((sum: bigint, item) => sum + (item as { nanos: bigint }).nanos, 0n))),
    walk,
  ),
]

const comparing: readonly Overload[] = comparable.flatMap((type) => [
  overload(`list_${type}_is_sorted_bool`, `list(${type}).isSorted(): bool`, ([list]) => isSorted(list), walk),
  overload(`list_${type}_min_self`, `list(${type}).min(): ${type}`, ([list]) => extreme(list, 'min', -1), walk),
  overload(`list_${type}_max_self`, `list(${type}).max(): ${type}`, ([list]) => extreme(list, 'max', 1), walk),
])

const searching: readonly Overload[] = [
  overload('list_a_index_of_int', 'list(A).indexOf(A): int', ([list, item = null], budget) => find(list, item, false, budget), walk),
  overload(
    'list_a_last_index_of_int',
    'list(A).lastIndexOf(A): int',
    ([list, item = null], budget) => find(list, item, true, budget),
    walk,
  ),
]

/** List results cost one unit per item, plus the cost of creating a list. */
const perItem = { resultCost: (result: CelValue): number => 1 + 10 + sizeOf([result], 0) }
const fromItem = { cost: (args: readonly CelValue[]): number => 1 + 10 + sizeOf(args, 0) }

function slice(list: CelList, from: bigint, to: bigint): CelValue {
  if (from < 0n || to < 0n) throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`)
  if (from > to) throw new CelError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`)
  if (to > list.size) throw new CelError(`cannot slice(${from}, ${to}), list is length ${list.size}`)
  return listValue(items(list).slice(Number(from), Number(to)))
}

function flatten(list: CelValue | undefined, depth: bigint, budget: CelBudget): CelValue {
  if (depth < 0n) throw new CelError('level must be non-negative')
  const into = (from: CelList, left: bigint): CelValue[] => {
    budget.work(from.size)
    return items(from).flatMap((item) => (left > 0n && isList(item) ? into(item, left - 1n) : [item]))
  }
  return listValue(into(list as CelList, depth))
}

function range(size: bigint, budget: CelBudget): CelValue {
  if (size <= 0n) return listValue([])
  budget.work(Number(size))
  return listValue(Array.from({ length: Number(size) }, (_, index) => BigInt(index)))
}

function distinct(list: CelValue | undefined, budget: CelBudget): CelValue {
  const seen = new Set<string>()
  const found: CelValue[] = []
  for (const item of items(list)) {
    const key = mapKey(item)
    if (key === undefined ? found.some((each) => celEqual(each, item, budget)) : seen.has(key)) continue
    if (key !== undefined) seen.add(key)
    found.push(item)
  }
  return listValue(found)
}

function sort(list: CelValue | undefined, keys: CelValue | undefined): CelValue {
  const order = items(keys)
  const kinds = new Set(order.map((key) => (typeof key === 'object' && key !== null && 'kind' in key ? key.kind : typeof key)))
  if (kinds.size > 1) throw new CelError('list elements must have the same type')
  if (order.some((key) => key === null || (typeof key === 'object' && 'kind' in key && (key.kind === 'list' || key.kind === 'map')))) {
    throw new CelError('list elements must be comparable')
  }
  const pairs = items(list).map((item, index) => ({ item, key: order[index] ?? null }))
  return listValue(pairs.toSorted((a, b) => compareValues(a.key, b.key) || 0).map(({ item }) => item))
}

/** A sort is priced as if every item were compared with every other. */
function sortCost(args: readonly CelValue[]): number {
  const [list] = args
  const size = sizeOf(args, 0)
  const first = list !== undefined && isList(list) && list.size > 0 ? list.get(0) : null
  const factor = 2 + (typeof first === 'string' || first instanceof Uint8Array ? traversalFactor : 0)
  return Math.floor(size * size * factor) + 1 + 10
}

const sorting: readonly Overload[] = comparable.flatMap((type) => [
  overload(`list_${type}_sort`, `list(${type}).sort(): list(${type})`, ([list]) => sort(list, list), { cost: sortCost }),
  overload(
    `list_${type}_sortByAssociatedKeys`,
    `list.@sortByAssociatedKeys(list(T), list(${type})): list(T)`,
    ([list, keys]) => sort(list, keys),
    {
      cost: (args) => sortCost(args.slice(1)),
    },
  ),
])

const shaping: readonly Overload[] = [
  overload(
    'list_slice',
    'list(T).slice(int, int): list(T)',
    ([list, from, to]) => slice(list as CelList, from as bigint, to as bigint),
    perItem,
  ),
  overload('list_flatten', 'list(list(T)).flatten(): list(T)', ([list], budget) => flatten(list, 1n, budget), fromItem),
  overload(
    'list_flatten_int',
    'list(dyn).flatten(int): list(dyn)',
    ([list, depth], budget) => flatten(list, depth as bigint, budget),
    perItem,
  ),
  overload('lists_range', 'lists.range(int): list(int)', ([size], budget) => range(size as bigint, budget), perItem),
  overload('list_reverse', 'list(T).reverse(): list(T)', ([list]) => listValue(items(list).toReversed()), fromItem),
  overload('list_distinct', 'list(T).distinct(): list(T)', ([list], budget) => distinct(list, budget), {
    cost: (args) => 1 + 10 + sizeOf(args, 0) ** 2 * 2,
  }),
]

const never = (): never => {
  throw noSuchOverload()
}

/** Comprehensions insert into the map that they create. */
const maps: readonly Overload[] = [
  overload('@mapInsert_map_key_value', 'cel.@mapInsert(map(K, V), K, V): map(K, V)', never),
  overload('@mapInsert_map_map', 'cel.@mapInsert(map(K, V), map(K, V)): map(K, V)', never),
]

/** Functions of lists. */
export const lists: readonly Overload[] = [...sums, ...comparing, ...searching, ...shaping, ...sorting, ...maps]
