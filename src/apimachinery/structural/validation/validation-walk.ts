import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { Location } from '../location.ts'

/** In the place of an old value: there is none to compare with, so that every error counts. */
export const uncorrelated: unique symbol = Symbol('uncorrelated')

/**
 * Checks a value and reports errors. `old` is the value that it replaces, or {@link uncorrelated}.
 */
export type Check = (value: unknown, old: unknown, walk: ValidationWalk) => void

/** State of one validation: position and errors. */
export class ValidationWalk {
  readonly location: Location = new Location()
  errors: FieldError[] = []
  /**
   * Number of values that match the schema; selects the alternative that an invalid value was
   * probably meant to be.
   */
  fits = 0

  report(error: FieldError): void {
    this.errors.push(error)
  }

  /** Runs a check on a child. */
  inside(step: string | number, check: Check, value: unknown, old: unknown): void {
    this.location.push(step)
    check(value, old, this)
    this.location.pop()
  }

  /** Runs a check without reporting, and returns its errors and number of matches. */
  probe(check: Check, value: unknown, old: unknown): { errors: FieldError[]; fits: number } {
    const { errors, fits } = this
    this.errors = []
    this.fits = 0
    check(value, old, this)
    const found = { errors: this.errors, fits: this.fits }
    this.errors = errors
    this.fits = fits
    return found
  }
}

/** Reports whether an error here is tolerated, because the value is unchanged. */
export function isUnchanged(value: unknown, old: unknown): boolean {
  return old !== uncorrelated && deepEqual(value, old)
}

/** The old value of a field; uncorrelated when the field is new. */
export function oldField(old: unknown, key: string): unknown {
  if (typeof old !== 'object' || old === null || Array.isArray(old) || !Object.hasOwn(old, key)) return uncorrelated
  return (old as Record<string, unknown>)[key]
}
