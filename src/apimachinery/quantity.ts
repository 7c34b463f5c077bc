/** Notation of a quantity, which it keeps when it is printed. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** A Kubernetes quantity: exact to one billionth, the precision of Kubernetes. */
export interface Quantity {
  /** The value in billionths. */
  readonly nanos: bigint
  readonly format: QuantityFormat
}

/** A text is not a quantity. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
  /** The text that failed to parse. */
  readonly text: string
  constructor(text: string) {
    super(`Quantity must be a number with an optional suffix such as "m", "k", "Mi" or "e3", and is ${JSON.stringify(text)}`)
    this.text = text
  }
}

const nano = 1_000_000_000n
/** Kubernetes caps parsed quantities at the largest 64-bit integer. */
const largest = (2n ** 63n - 1n) * nano
const longestText = 256

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const decimalNames: ReadonlyMap<number, string> = new Map([...decimalSuffixes].map(([name, exponent]) => [exponent, name]))
const binaryNames = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const

const grammar = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/

/** Divides, rounding away from zero: a small request never becomes zero. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor === 0n ? quotient : quotient + (value < 0n ? -1n : 1n)
}

interface Scale {
  readonly format: QuantityFormat
  readonly exponent: number
  readonly factor: bigint
}

function scaleOf(suffix: string, exponent: string | undefined): Scale {
  if (exponent !== undefined) return { format: 'DecimalExponent', exponent: Number(exponent), factor: 1n }
  if (suffix.endsWith('i')) {
    return { format: 'BinarySI', exponent: 0, factor: 1024n ** BigInt(binaryNames.findIndex((name) => name === suffix)) }
  }
  return { format: 'DecimalSI', exponent: decimalSuffixes.get(suffix) ?? 0, factor: 1n }
}

/**
 * `digits` times ten to the power of `exponent`, in billionths, capped. The guards keep
 * `1e999999999` from filling the memory.
 */
function nanosOf(digits: bigint, exponent: number): bigint {
  if (digits === 0n) return 0n
  const power = exponent + 9
  if (power > 64) return digits < 0n ? -largest : largest
  if (power < -2 * longestText) return digits < 0n ? -1n : 1n
  const value = power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power))
  if (value > largest) return largest
  return value < -largest ? -largest : value
}

/**
 * Parses a quantity as Kubernetes does: `1.5Gi`, `500m`, `2`, `1e3`. Fractions of a billionth are
 * rounded away from zero, and larger values than a 64-bit integer are capped.
 * @throws {QuantityError} when the text is no quantity
 */
export function parseQuantity(text: string | number): Quantity {
  const source = String(text)
  const match = source.length > longestText ? null : grammar.exec(source)
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent] = match ?? []
  if (match === null || whole + fraction === '') throw new QuantityError(source.slice(0, longestText))
  const scale = scaleOf(suffix, exponent)
  const digits = BigInt(whole + fraction) * scale.factor
  const nanos = nanosOf(sign === '-' ? -digits : digits, scale.exponent - fraction.length)
  const tiny = scale.format === 'BinarySI' && nanos < nano && nanos > -nano
  return { nanos, format: tiny ? 'DecimalSI' : scale.format }
}

/** Reports whether a text or number is a quantity. */
export function isQuantity(text: string | number): boolean {
  const source = String(text)
  return source.length <= longestText && grammar.test(source) && /^[+-]?\.?\d/.test(source)
}

function formatBinary(whole: bigint): string {
  let mantissa = whole
  let step = 0
  while (step < binaryNames.length - 1 && mantissa % 1024n === 0n) {
    mantissa /= 1024n
    step += 1
  }
  return `${mantissa}${binaryNames[step]}`
}

function formatDecimal(nanos: bigint, format: 'DecimalSI' | 'DecimalExponent'): string {
  let mantissa = nanos
  let exponent = -9
  const highest = format === 'DecimalSI' ? 18 : Number.POSITIVE_INFINITY
  while (exponent < highest && mantissa % 1000n === 0n) {
    mantissa /= 1000n
    exponent += 3
  }
  if (format === 'DecimalSI') return `${mantissa}${decimalNames.get(exponent) ?? ''}`
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`
}

/**
 * The canonical text: no fraction, the largest suffix that keeps the value exact (`1024Mi` becomes
 * `1Gi`, `0.5` becomes `500m`). Binary suffixes are only used for whole numbers from 1024 on.
 */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format } = quantity
  if (nanos === 0n) return '0'
  if (format !== 'BinarySI') return formatDecimal(nanos, format)
  const whole = nanos / nano
  const plain = nanos % nano !== 0n || (whole > -1024n && whole < 1024n)
  return plain ? formatDecimal(nanos, 'DecimalSI') : formatBinary(whole)
}

/**
 * The canonical form of a quantity's text.
 * @throws {QuantityError} when the text is no quantity
 */
export function canonicalQuantity(text: string | number): string {
  return formatQuantity(parseQuantity(text))
}

/**
 * Negative when `a` is less than `b`, positive when it is more, 0 when they are equal; formats do
 * not count.
 */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0
  return a.nanos < b.nanos ? -1 : 1
}

/** The sum, in the format of `a`, or of `b` when `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format }
}

/** The difference `a - b`, in the format of `a`, or of `b` when `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format }
}

/** The whole number of units (bytes, for memory), fractions rounded away from zero. */
export function quantityToBytes(quantity: Quantity): bigint {
  return divideUp(quantity.nanos, nano)
}

/** The whole number of thousandths (milli-cores, for CPU), fractions rounded away from zero. */
export function quantityToMilli(quantity: Quantity): bigint {
  return divideUp(quantity.nanos, nano / 1000n)
}

/** The value as a number; exact as long as it has no more than 53 significant bits. */
export function quantityToNumber(quantity: Quantity): number {
  const whole = quantity.nanos / nano
  const rest = quantity.nanos % nano
  return rest === 0n ? Number(whole) : Number(quantity.nanos) / Number(nano)
}

/**
 * A quantity of whole units, to be printed in the given format. Default BinarySI, as for memory.
 */
export function quantityFromBytes(bytes: bigint, format: QuantityFormat = 'BinarySI'): Quantity {
  return { nanos: bytes * nano, format }
}
