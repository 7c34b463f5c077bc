type KeyOf = (item: unknown) => unknown

function rank(keys: readonly unknown[]): Map<unknown, number> {
  const ranks = new Map<unknown, number>()
  for (const [index, key] of keys.entries()) if (!ranks.has(key)) ranks.set(key, index)
  return ranks
}

/**
 * Reports whether the first item preceded the second in the original list; false when one is new.
 */
function stoodBefore(first: number | undefined, second: number | undefined): boolean {
  return first !== undefined && second !== undefined && first < second
}

/**
 * Orders a merged list: items in the patch follow the patch's order, other items keep their order.
 * The original order decides between the two groups; otherwise items of the patch come first. Items
 * are identified by their keys.
 */
export function orderMergedList(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  former: readonly unknown[],
  keyOf: KeyOf,
): unknown[] {
  const wantedRank = rank(wanted.map(keyOf))
  const formerRank = rank(former.map(keyOf))
  const rankOf = (ranks: Map<unknown, number>, item: unknown): number => ranks.get(keyOf(item)) ?? Number.MAX_SAFE_INTEGER
  const named = merged.filter((item) => wantedRank.has(keyOf(item))).toSorted((a, b) => rankOf(wantedRank, a) - rankOf(wantedRank, b))
  const others = merged.filter((item) => !wantedRank.has(keyOf(item))).toSorted((a, b) => rankOf(formerRank, a) - rankOf(formerRank, b))
  const result: unknown[] = []
  let next = 0
  for (const other of others) {
    while (next < named.length && !stoodBefore(formerRank.get(keyOf(other)), formerRank.get(keyOf(named[next])))) {
      result.push(named[next])
      next += 1
    }
    result.push(other)
  }
  return [...result, ...named.slice(next)]
}
