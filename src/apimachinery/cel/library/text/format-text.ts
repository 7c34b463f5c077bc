import type { CelBudget } from '#apimachinery/cel/budget.ts'
import { CelError } from '#apimachinery/cel/errors.ts'
import { numeric } from '#apimachinery/cel/values/equality.ts'
import { formatTimestamp } from '#apimachinery/cel/values/time.ts'
import { decodeUtf8, encodeUtf8 } from '#apimachinery/cel/values/utf8.ts'
import { type CelDuration, type CelList, type CelValue, isList, isMap, itemsOf, kindOf } from '#apimachinery/cel/values/values.ts'
import { formatDouble } from '../conversions.ts'

const clause = /%(?:\.(\d+))?(.)?/gsu

/**
 * Fills in the clauses of a text: %s %d %f %e %b %x %X %o %%. @throws CelError when a value does
 * not fit its clause
 */
export function formatText(text: string, args: CelList, budget: CelBudget): string {
  let next = 0
  return text.replaceAll(clause, (_, digits: string | undefined, verb: string | undefined) => {
    if (verb === '%' && digits === undefined) return '%'
    if (verb === undefined) throw new CelError('unexpected end of string')
    if (next >= args.size) throw new CelError(`index ${next} out of range`)
    const part = formatValue(args.get(next), verb, digits === undefined ? 6 : Number(digits), budget)
    next += 1
    budget.work(part.length / 10)
    return part
  })
}

function formatValue(value: CelValue, verb: string, precision: number, budget: CelBudget): string {
  switch (verb) {
    case 's':
      return showValue(value, budget)
    case 'd':
      return decimal(value)
    case 'f':
      return fixed(value, precision)
    case 'e':
      return scientific(value, precision)
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integer(value, verb).toString(2)
    case 'o':
      return integer(value, verb).toString(8)
    case 'x':
      return hexadecimal(value)
    case 'X':
      return hexadecimal(value).toUpperCase()
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
  }
}

function wrong(verb: string, allowed: string, value: CelValue): CelError {
  return new CelError(`error during formatting: ${verb} clause can only be used on ${allowed}, was given ${kindOf(value)}`)
}

function integer(value: CelValue, verb: string): bigint {
  const number = numeric(value)
  if (typeof number !== 'bigint') throw wrong(verb, 'integers', value)
  return number
}

function decimal(value: CelValue): string {
  if (typeof value === 'number') {
    if (Number.isNaN(value) || !Number.isFinite(value)) return special(value)
    throw wrong('decimal', 'integers', value)
  }
  return integer(value, 'decimal').toString()
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
}

function asNumber(value: CelValue, what: string): number {
  const number = numeric(value)
  if (number !== undefined) return Number(number)
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Number.POSITIVE_INFINITY
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY
  throw wrong(what, 'doubles', value)
}

/** With commas between thousands, as Kubernetes' version of the strings library prints numbers. */
function fixed(value: CelValue, precision: number): string {
  const number = asNumber(value, 'fixed-point')
  if (!Number.isFinite(number)) return special(number)
  const [whole = '', fraction] = number.toFixed(Math.min(precision, 100)).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `1.5×10⁰³`, of the same version. */
function scientific(value: CelValue, precision: number): string {
  const number = asNumber(value, 'scientific')
  if (!Number.isFinite(number)) return special(number)
  const [digits = '', exponent = '+0'] = number.toExponential(Math.min(precision, 100)).split('e')
  const power = exponent
    .slice(1)
    .padStart(2, '0')
    .replaceAll(/\d/g, (digit) => superscripts[Number(digit)] ?? digit)
  return `${digits}×10${exponent.startsWith('-') ? '⁻' : ''}${power}`
}

function hexadecimal(value: CelValue): string {
  const bytes = typeof value === 'string' ? encodeUtf8(value) : value
  if (bytes instanceof Uint8Array) return bytes.toHex()
  return integer(value, 'hex').toString(16)
}

/** A duration with a unit of seconds, a fraction without trailing zeros. */
function showDuration({ nanos }: CelDuration): string {
  const size = nanos < 0n ? -nanos : nanos
  const fraction = (size % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '')
  return `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`
}

function showValue(value: CelValue, budget: CelBudget): string {
  budget.work(1)
  if (typeof value === 'string') return value
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isFinite(value) ? formatDouble(value) : special(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return decodeUtf8(value)
  if (isList(value)) return `[${Array.from(itemsOf(value), (item) => showInner(item, budget)).join(', ')}]`
  if (isMap(value)) {
    const entries = Array.from(value.keys(), (key) => `${showInner(key, budget)}:${showInner(value.get(key) ?? null, budget)}`)
    return `{${entries.toSorted().join(', ')}}`
  }
  if (value.kind === 'uint') return String(value.value)
  if (value.kind === 'timestamp') return formatTimestamp(value)
  if (value.kind === 'duration') return showDuration(value)
  if (value.kind === 'type') return value.name
  throw wrong('string', 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps', value)
}

/** Inside of lists and maps values are written as literals. */
function showInner(value: CelValue, budget: CelBudget): string {
  const text = showValue(value, budget)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : `"${text}"`
  if (typeof value !== 'object' || value === null) return text
  if (value instanceof Uint8Array) return `b${JSON.stringify(text)}`
  return value.kind === 'timestamp' || value.kind === 'duration' ? `${value.kind}(${JSON.stringify(text)})` : text
}
