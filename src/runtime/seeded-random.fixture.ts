/** Random numbers from a seed, so that a failure can be reproduced. */
export interface SeededRandom {
  /** In [0, limit). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly [T, ...T[]]): T
}

/** See {@link SeededRandom}. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, chance: (probability) => next() < probability, pick: (items) => items[below(items.length)] ?? items[0] }
}
