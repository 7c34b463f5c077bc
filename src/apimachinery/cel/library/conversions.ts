import { CelError } from '../errors.ts'
import { type Overload, overload } from '../types/signature.ts'
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp, timestampOf } from '../values/time.ts'
import { decodeUtf8, encodeUtf8 } from '../values/utf8.ts'
import {
  type CelDuration,
  type CelTimestamp,
  type CelUint,
  type CelValue,
  durationValue,
  kindOf,
  lengthOf,
  typeValue,
} from '../values/values.ts'
import { traversal } from './costs.ts'
import { checkedInt, checkedUint } from './operators.ts'

const second = 1_000_000_000n

/** A double as Go prints it with `%g`: with an exponent from 1e+06 and below 1e-04. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

function truncate(value: number, what: string): bigint {
  if (Number.isNaN(value) || !Number.isFinite(value)) throw new CelError(`${what} overflow`)
  return BigInt(Math.trunc(value))
}

function parseInteger(text: string, pattern: RegExp): bigint {
  if (!pattern.test(text)) throw new CelError(`type conversion error from 'string' to 'int'`)
  return BigInt(text.replace(/^\+/, ''))
}

function parseDouble(text: string): number {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text)
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (/^nan$/i.test(text)) return Number.NaN
  throw new CelError(`type conversion error from 'string' to 'double'`)
}

function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false
  throw new CelError(`type conversion error from 'string' to 'bool'`)
}

const numbers: readonly Overload[] = [
  overload('int64_to_int64', 'int(int): int', ([value = null]) => value),
  overload('uint64_to_int64', 'int(uint): int', ([value]) => checkedInt((value as CelUint).value)),
  overload('double_to_int64', 'int(double): int', ([value]) => {
    const number = value as number
    if (number <= -(2 ** 63) || number >= 2 ** 63) throw new CelError('integer overflow')
    return checkedInt(truncate(number, 'integer'))
  }),
  overload('string_to_int64', 'int(string): int', ([value]) => checkedInt(parseInteger(value as string, /^[+-]?\d+$/))),
  overload('timestamp_to_int64', 'int(timestamp): int', ([value]) => floorDivide((value as CelTimestamp).nanos, second)),
  overload('duration_to_int64', 'int(duration): int', ([value]) => (value as CelDuration).nanos),
  overload('uint64_to_uint64', 'uint(uint): uint', ([value = null]) => value),
  overload('int64_to_uint64', 'uint(int): uint', ([value]) => checkedUint(value as bigint)),
  overload('double_to_uint64', 'uint(double): uint', ([value]) => {
    if ((value as number) < 0) throw new CelError('unsigned integer overflow')
    return checkedUint(truncate(value as number, 'unsigned integer'))
  }),
  overload('string_to_uint64', 'uint(string): uint', ([value]) => checkedUint(parseInteger(value as string, /^\d+$/))),
  overload('double_to_double', 'double(double): double', ([value = null]) => value),
  overload('int64_to_double', 'double(int): double', ([value]) => Number(value)),
  overload('uint64_to_double', 'double(uint): double', ([value]) => Number((value as CelUint).value)),
  overload('string_to_double', 'double(string): double', ([value]) => parseDouble(value as string)),
]

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value % by < 0n ? quotient - 1n : quotient
}

const texts: readonly Overload[] = [
  overload('string_to_string', 'string(string): string', ([value = null]) => value),
  overload('bool_to_string', 'string(bool): string', ([value]) => String(value as boolean)),
  overload('int64_to_string', 'string(int): string', ([value]) => String(value as bigint)),
  overload('uint64_to_string', 'string(uint): string', ([value]) => String((value as CelUint).value)),
  overload('double_to_string', 'string(double): string', ([value]) => formatDouble(value as number)),
  overload('bytes_to_string', 'string(bytes): string', ([value]) => decodeUtf8(value as Uint8Array), { cost: traversal(0) }),
  overload('timestamp_to_string', 'string(timestamp): string', ([value]) => formatTimestamp(value as CelTimestamp)),
  overload('duration_to_string', 'string(duration): string', ([value]) => formatDuration(value as CelDuration)),
  overload('string_to_bytes', 'bytes(string): bytes', ([value]) => encodeUtf8(value as string), { cost: traversal(0) }),
  overload('bytes_to_bytes', 'bytes(bytes): bytes', ([value = null]) => value),
]

const others: readonly Overload[] = [
  overload('bool_to_bool', 'bool(bool): bool', ([value = null]) => value),
  overload('string_to_bool', 'bool(string): bool', ([value]) => parseBool(value as string)),
  overload('string_to_timestamp', 'timestamp(string): timestamp', ([value]) => parseTimestamp(value as string)),
  overload('int64_to_timestamp', 'timestamp(int): timestamp', ([value]) => timestampOf((value as bigint) * second)),
  overload('timestamp_to_timestamp', 'timestamp(timestamp): timestamp', ([value = null]) => value),
  overload('string_to_duration', 'duration(string): duration', ([value]) => parseDuration(value as string)),
  overload('int64_to_duration', 'duration(int): duration', ([value]) => durationValue(value as bigint)),
  overload('duration_to_duration', 'duration(duration): duration', ([value = null]) => value),
  overload('to_dyn', 'dyn(A): dyn', ([value = null]) => value),
  overload('type', 'type(A): type(A)', ([value = null]) => typeValue(nameOfType(value))),
]

const typeNames: Readonly<Record<string, string>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  optional: 'optional_type',
}

function nameOfType(value: CelValue): string {
  if (typeof value === 'object' && value !== null && 'typeName' in value && value.typeName !== undefined) return value.typeName
  const kind = kindOf(value)
  return typeNames[kind] ?? kind
}

const sizes: readonly Overload[] = ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => {
  const id = type.replace(/\(.*/, '')
  const size: Overload['run'] = ([value = null]) => {
    if (typeof value === 'string') return BigInt(lengthOf(value))
    if (value instanceof Uint8Array) return BigInt(value.length)
    return typeof value === 'object' && value !== null && 'size' in value ? BigInt(value.size ?? 0) : 0n
  }
  return [overload(`size_${id}`, `size(${type}): int`, size), overload(`${id}_size`, `${type}.size(): int`, size)]
})

/** Conversions between types, and sizes. */
export const conversions: readonly Overload[] = [...numbers, ...texts, ...others, ...sizes]
