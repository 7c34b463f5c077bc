import { test } from 'node:test'

const efforts = ['default', 'long'] as const

/** Amount of repetition in tests that prove a property by repetition. */
export type Effort = (typeof efforts)[number]

/** Value of the setting `STEADYVM_EFFORT`: `npm run test:long` sets `long`. */
export const effort: Effort = parse(process.env['STEADYVM_EFFORT'] ?? 'default')

/** Returns the number of repetitions for the current effort. */
export function repeats(counts: Readonly<Record<Effort, number>>): number {
  return counts[effort]
}

/** Defines a test of the long tier. Other tiers omit it, and do not count it as skipped. */
export const longTest: (name: string, run: () => Promise<void>) => void =
  effort === 'long' ? (name, run) => void test(name, run) : () => undefined

const chosenSeed = process.env['STEADYVM_SEED']

/**
 * First seed of random schedules: `STEADYVM_SEED`, otherwise a different one in each run of the
 * long tier, and always 1 in `npm test`, whose result is the same for the same tree.
 */
export const seed: number = chosenSeed !== undefined ? Number(chosenSeed) : effort === 'long' ? Date.now() % 2 ** 31 : 1

/**
 * Returns the first seed of schedules that are the same in each run, unless `STEADYVM_SEED` is set.
 */
export function seedOr(fixed: number): number {
  return chosenSeed === undefined ? fixed : seed
}

/**
 * Returns all items in the long tier, otherwise `count` of them: evenly spaced, from an offset that
 * the seed chooses, so that seeds together try all.
 */
export function sample<Item>(all: readonly Item[], count: number): readonly Item[] {
  if (effort === 'long') return all
  const chosen = new Set(Array.from({ length: count }, (_, index) => (seed + Math.floor((index * all.length) / count)) % all.length))
  return all.filter((_, index) => chosen.has(index))
}

/**
 * Returns all variants of a case in the long tier, otherwise one: cases in a row get different ones
 * and each case gets another one by another seed.
 */
export function variants<Item>(all: readonly Item[], caseNumber: number): readonly Item[] {
  return effort === 'long' ? all : all.filter((_, index) => index === (seed + caseNumber) % all.length)
}

function parse(text: string): Effort {
  const found = efforts.find((one) => one === text)
  if (found === undefined) throw new Error(`STEADYVM_EFFORT is ${text}, and must be one of ${efforts.join(', ')}`)
  return found
}

/**
 * Yields 1, 2, 3 … with a stride of 1, otherwise every n-th number from an offset that the seed
 * chooses, so that seeds together try every number.
 */
export function* everyNth(strides: Readonly<Record<Effort, number>>): Generator<number> {
  const stride = repeats(strides)
  for (let number = 1 + (seed % stride); ; number += stride) yield number
}
