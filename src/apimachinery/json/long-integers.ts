// Integers beyond 2^53 are bigints in parsed documents, as a double cannot hold them. Only parsers
// of this file make them, and only documents with a long run of digits take its slow way.

/** A run of this many digits may exceed the precision of a double. */
export const longRunDigits = 16
const longRun = /\d{16}/
const wholeNumber = /^-?\d{16,}$/
const largest = 2n ** 63n - 1n

/**
 * An integer literal that a double cannot represent, in an object of a built-in kind, whose rules
 * calculate with doubles.
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

function parseWith(text: string, revive: Reviver): unknown {
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1])
}

/** Looks at every number of a JSON text. @throws InexactInteger */
export function assertExactJson(text: string): void {
  parseWith(text, (_key, value, context) => {
    if (context?.source !== undefined) assertExact(context.source, value)
    return value
  })
}

/**
 * Returns the value of a number by its source: a bigint for a 64-bit integer beyond 2^53. A larger
 * one becomes a double, as in kube-apiserver.
 */
export function exactNumber(value: number, source: string): number | bigint {
  if (Number.isSafeInteger(value) || !wholeNumber.test(source)) return value
  // Longer sources are out of range, and converting them takes quadratic time.
  if (source.length > 20) return value
  const exact = BigInt(source)
  return exact > largest || exact < -largest - 1n ? value : exact
}

/** Parses JSON with bigints for integers beyond 2^53. Slow: see {@link parseExactJson}. */
export function parseLongIntegers(text: string): unknown {
  return parseWith(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? exactNumber(value, context.source) : value,
  )
}

/** Parses JSON as JSON.parse does, with bigints for integers beyond 2^53. */
export function parseExactJson(text: string): unknown {
  return mayHoldLongIntegers(text) ? parseLongIntegers(text) : JSON.parse(text)
}

let encoded = 0

/**
 * Lets JSON.stringify write bigints as numbers: without it, it throws. Set for the whole process,
 * as such values reach messages, tables, webhooks and logs, too.
 */
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    encoded += 1
    return rawJson(this.toString())
  },
})

/** TypeScript does not declare it yet. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

const mark = '{ '

/**
 * Encodes an object for {@link parseMarkedJson}: after the first brace of a text with long integers
 * is a space, so that readers of the others need not search for digits.
 */
export function markedJson(object: object): string {
  const before = encoded
  const text = JSON.stringify(object)
  return encoded === before ? text : mark + text.slice(1)
}

/** Parses what {@link markedJson} has encoded. */
export function parseMarkedJson(text: string): unknown {
  return text.startsWith(mark) ? parseLongIntegers(text) : JSON.parse(text)
}
