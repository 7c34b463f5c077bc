/** Bounds on the size of a value: characters, bytes, items or entries. */
export interface Size {
  readonly min: number
  readonly max: number
}

/** Larger than anything; sums and products stop there. */
export const most: number = 2 ** 64

/** The size of a value without a limit. */
export const unknownSize: Size = { min: 0, max: most }

/** A size that is known. */
export function exactly(size: number): Size {
  return { min: size, max: size }
}

/** A number that is no larger than {@link most}. */
export function capped(value: number): number {
  return Math.min(value, most)
}

/** Size of two concatenated values. */
export function addSizes(left: Size, right: Size): Size {
  return { min: capped(left.min + right.min), max: capped(left.max + right.max) }
}

/** The size of so many things. */
export function multiplySizes(left: Size, right: Size): Size {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) }
}

/** Size of a value that is one of the two. */
export function eitherSize(left: Size, right: Size): Size {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) }
}

/** Maximum cost of reading a value of this size. */
export function scaled({ max }: Size, factor: number): number {
  return capped(Math.ceil(max * factor))
}
