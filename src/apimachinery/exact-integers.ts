/** A run of so many digits may be more than a double can hold. */
export const longRunDigits = 16
const longRun = /\d{16}/
const wholeNumber = /^-?\d{16,}$/

/**
 * A whole number is written that would be another one after reading: only up to 2^53 is every one
 * kept.
 */
export class InexactInteger extends SyntaxError {
  override readonly name = 'InexactInteger'
  constructor(source: string) {
    const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source
    super(
      `number ${shown} cannot be kept exactly: whole numbers must lie between -9007199254740992 and 9007199254740992, or be written as strings`,
    )
  }
}

/**
 * Whether a text may hold a whole number that would not survive reading. Cheap; most texts hold
 * none.
 */
export function mayHoldLongIntegers(text: string): boolean {
  return longRun.test(text)
}

/** @throws InexactInteger when what was written is not what was read */
export function assertExact(source: string, value: unknown): void {
  if (typeof value !== 'number' || !wholeNumber.test(source)) return
  if (!Number.isFinite(value) || BigInt(source) !== BigInt(value)) throw new InexactInteger(source)
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Looks at every number of a JSON text. @throws InexactInteger */
export function assertExactJson(text: string): void {
  const check: Reviver = (_key, value, context) => {
    if (context?.source !== undefined) assertExact(context.source, value)
    return value
  }
  JSON.parse(text, check as Parameters<typeof JSON.parse>[1])
}
