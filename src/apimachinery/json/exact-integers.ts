/** A run of this many digits may exceed the precision of a double. */
export const longRunDigits = 16
const longRun = /\d{16}/
const wholeNumber = /^-?\d{16,}$/

/** An integer literal that a double cannot represent: integers are exact up to 2^53. */
export class InexactInteger extends SyntaxError {
  override readonly name = 'InexactInteger'
  constructor(source: string) {
    const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source
    super(
      `number ${shown} cannot be kept exactly: whole numbers must lie between -9007199254740992 and 9007199254740992, or be written as strings`,
    )
  }
}

/** Reports whether a text may contain an integer beyond 2^53. Cheap; most texts contain none. */
export function mayHoldLongIntegers(text: string): boolean {
  return longRun.test(text)
}

/** @throws InexactInteger when an integer in the source differs from the parsed one */
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
