/** How large a value can be: characters, bytes, items or entries. */
export interface Size {
  readonly min: number
  readonly max: number
}

/** Larger than anything; sums and products stop there. */
export const most: number = 2 ** 64

export const unknownSize: Size = { min: 0, max: most }

export function exactly(size: number): Size {
  return { min: size, max: size }
}

export function capped(value: number): number {
  return Math.min(value, most)
}

export function addSizes(left: Size, right: Size): Size {
  return { min: capped(left.min + right.min), max: capped(left.max + right.max) }
}

export function multiplySizes(left: Size, right: Size): Size {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) }
}

export function eitherSize(left: Size, right: Size): Size {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) }
}

/** What reading something of a size costs at most. */
export function scaled({ max }: Size, factor: number): number {
  return capped(Math.ceil(max * factor))
}
