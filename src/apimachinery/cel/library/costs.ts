import { type CelValue, costSize } from '../values/values.ts'

/** Cost of reading one character of a string. */
export const traversalFactor = 0.1
/** Cost of one character of a regular expression. */
const regexFactor = 0.25

type Cost = (args: readonly CelValue[]) => number

/** Size of an argument; 1 for a value without size. */
export function sizeOf(args: readonly CelValue[], index: number): number {
  const value = args[index]
  return value === undefined ? 1 : costSize(value)
}

/** Reads the text at an index of the arguments so many times. */
export function traversal(index: number, times: number = 1): Cost {
  return (args) => Math.ceil(sizeOf(args, index) * times * traversalFactor)
}

/** Cost of comparing the two arguments, up to the length of the shorter one. */
export const comparison: Cost = (args) => Math.ceil(Math.min(sizeOf(args, 0), sizeOf(args, 1)) * traversalFactor)

/** A text against a regular expression. */
export const matching: Cost = (args) => Math.ceil((1 + sizeOf(args, 0)) * traversalFactor) * Math.ceil(sizeOf(args, 1) * regexFactor)
