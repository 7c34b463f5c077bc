import { type CelValue, costSize } from '../values.ts'

/** What reading one character of a text costs. */
export const traversalFactor = 0.1
/** What one character of a regular expression costs. */
const regexFactor = 0.25

type Cost = (args: readonly CelValue[]) => number

/** The size of an argument, 1 for what has none. */
export function sizeOf(args: readonly CelValue[], index: number): number {
  const value = args[index]
  return value === undefined ? 1 : costSize(value)
}

/** Reads the text at an index of the arguments so many times. */
export function traversal(index: number, times: number = 1): Cost {
  return (args) => Math.ceil(sizeOf(args, index) * times * traversalFactor)
}

/** Compares the two arguments: as far as the shorter one reaches. */
export const comparison: Cost = (args) => Math.ceil(Math.min(sizeOf(args, 0), sizeOf(args, 1)) * traversalFactor)

/** A text against a regular expression. */
export const matching: Cost = (args) => Math.ceil((1 + sizeOf(args, 0)) * traversalFactor) * Math.ceil(sizeOf(args, 1) * regexFactor)
