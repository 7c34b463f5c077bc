/** Draws from a seed, so that what was found once can be found again. */
export interface Random {
  /** In [0, 1). */
  number(): number
  /** In [0, below). */
  below(limit: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  chance(probability: number): boolean
}

/** The generator known as mulberry32: good enough to choose by, and small. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(number() * limit)
  return {
    number,
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    chance: (probability) => number() < probability,
  }
}
