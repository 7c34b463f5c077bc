import type { CelBudget } from '../budget.ts'
import { celEqual } from '../values/equality.ts'
import { type Overload, overload } from '../types/signature.ts'
import { type CelList, type CelValue, itemsOf } from '../values/values.ts'
import { sizeOf } from './costs.ts'

const items = (list: CelValue | undefined): CelValue[] => itemsOf(list as CelList).toArray()

function containsAll(list: CelValue | undefined, wanted: CelValue | undefined, budget: CelBudget): boolean {
  const all = items(list)
  return items(wanted).every((item) => all.some((each) => celEqual(each, item, budget)))
}

/** Cost of comparing every item of one list with every item of the other. */
function product(factor: number): { cost: Overload['cost'] } {
  return { cost: (args) => 1 + sizeOf(args, 0) * sizeOf(args, 1) * factor }
}

/** Lists as sets. */
export const sets: readonly Overload[] = [
  overload(
    'list_sets_contains_list',
    'sets.contains(list(T), list(T)): bool',
    ([list, wanted], budget) => containsAll(list, wanted, budget),
    product(1),
  ),
  overload(
    'list_sets_equivalent_list',
    'sets.equivalent(list(T), list(T)): bool',
    ([left, right], budget) => containsAll(left, right, budget) && containsAll(right, left, budget),
    product(2),
  ),
  overload(
    'list_sets_intersects_list',
    'sets.intersects(list(T), list(T)): bool',
    ([left, right], budget) => {
      const others = items(right)
      return items(left).some((item) => others.some((other) => celEqual(item, other, budget)))
    },
    product(1),
  ),
]
