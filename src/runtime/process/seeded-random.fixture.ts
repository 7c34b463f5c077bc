/** Random numbers from a seed, so that a failure can be reproduced. */
export interface SeededRandom {
  /** Returns a number in [0, 1). */
  readonly number: () => number
  /** Returns an integer in [0, limit). */
  readonly below: (limit: number) => number
  readonly chance: (probability: number) => boolean
  pick<T>(items: readonly [T, ...T[]]): T
}

/**
 * Creates numbers that also differ for consecutive seeds, which a linear congruential generator
 * does not do in its first ones: the generator splitmix32.
 */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const number = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(number() * limit)
  return { number, below, chance: (probability) => number() < probability, pick: (items) => items[below(items.length)] ?? items[0] }
}
