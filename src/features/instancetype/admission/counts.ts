import type { StatusCause } from '#apimachinery/errors.ts'
import { outOfRange } from './cause.ts'

const mostUint32 = 2 ** 32 - 1

/** Validates an integer within bounds; by default those of KubeVirt's uint32. */
export function validateCount(field: string, value: number | undefined, least: number = 0, most: number = mostUint32): StatusCause[] {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return []
  if (value < least) return [outOfRange(field, value, `must be greater than or equal to ${least}`)]
  return [outOfRange(field, value, `must be a whole number of at most ${most}`)]
}
