import { numeric } from './equality.ts'
import { noSuchOverload } from '../errors.ts'
import type { CelValue } from './values.ts'

function order<T extends string | number | bigint | boolean>(left: T, right: T): number {
  if (left === right) return 0
  return left < right ? -1 : left > right ? 1 : Number.NaN
}

/** Texts are ordered by code point, not by UTF-16 unit as JavaScript orders them. */
function orderTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a === b) continue
    const isHigh = a >= 0xd800 && a <= 0xdfff
    if (isHigh === (b >= 0xd800 && b <= 0xdfff)) return order(a, b)
    return isHigh ? 1 : -1
  }
  return order(left.length, right.length)
}

function orderBytes(left: Uint8Array, right: Uint8Array): number {
  const at = left.findIndex((byte, index) => byte !== right[index])
  return at < 0 || at >= right.length ? order(left.length, right.length) : order(left[at] ?? 0, right[at] ?? 0)
}

/**
 * Negative, zero or positive; NaN when a double is NaN. @throws CelError when values of these types
 * have no order
 */
export function compareValues(left: CelValue, right: CelValue): number {
  if (typeof left === 'string' && typeof right === 'string') return orderTexts(left, right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return order(Number(left), Number(right))
  const number = numeric(left)
  const other = numeric(right)
  if (number !== undefined && other !== undefined)
    return number < other ? -1 : number > other ? 1 : Number.isNaN(Number(number)) || Number.isNaN(Number(other)) ? Number.NaN : 0
  if (left instanceof Uint8Array && right instanceof Uint8Array) return orderBytes(left, right)
  if (typeof left === 'object' && typeof right === 'object' && left !== null && right !== null && 'nanos' in left && 'nanos' in right) {
    if (left.kind === right.kind) return order(left.nanos, right.nanos)
  }
  throw noSuchOverload()
}
