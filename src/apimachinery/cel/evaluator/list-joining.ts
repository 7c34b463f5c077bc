import type { CelBudget } from '../budget.ts'
import { celEqual } from '../values/equality.ts'
import { type CelList, type CelValue, isMap, itemsOf, listValue } from '../values/values.ts'

/** One list after the other; items are found by index, so that a chain of joins stays readable. */
export function joinLists(left: CelList, right: CelList, budget: CelBudget): CelList {
  if (left.listType === 'set') return { ...listValue(unite(left, right, budget)), listType: 'set' }
  if (left.listType === 'map') return { ...listValue(merge(left, right, budget)), listType: 'map', listMapKeys: left.listMapKeys }
  // The cost model counts one step here, but lists that grow by concatenation are copied each time.
  budget.work(left.size + right.size)
  return listValue([...itemsOf(left), ...itemsOf(right)])
}

function unite(left: CelList, right: CelList, budget: CelBudget): CelValue[] {
  const items = [...itemsOf(left)]
  for (const item of itemsOf(right)) if (!items.some((each) => celEqual(each, item, budget))) items.push(item)
  return items
}

/** Items with the same keys are replaced in place. */
function merge(left: CelList, right: CelList, budget: CelBudget): CelValue[] {
  const keys = left.listMapKeys ?? []
  const same = (a: CelValue, b: CelValue): boolean =>
    isMap(a) && isMap(b) && keys.every((key) => celEqual(a.get(key) ?? null, b.get(key) ?? null, budget))
  const items = [...itemsOf(left)]
  for (const item of itemsOf(right)) {
    const at = items.findIndex((each) => same(each, item))
    if (at < 0) items.push(item)
    else items[at] = item
  }
  return items
}
