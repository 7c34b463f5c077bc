import { deepEqual } from '../equality.ts'
import type { FieldError } from '../errors.ts'
import { Location } from './location.ts'

/** In the place of an old value: there is none to compare with, so that every error counts. */
export const uncorrelated: unique symbol = Symbol('uncorrelated')

/**
 * Checks a value and reports what is wrong. `old` is the value that it replaces, or {@link
 * uncorrelated}.
 */
export type Check = (value: unknown, old: unknown, walk: ValidationWalk) => void

/** One validation: where it is, and what it has found. */
export class ValidationWalk {
  readonly location: Location = new Location()
  errors: FieldError[] = []
  /**
   * Counts what fits the schema; tells which alternative of several a wrong value was probably
   * meant to be.
   */
  fits = 0

  report(error: FieldError): void {
    this.errors.push(error)
  }

  /** Runs a check one step further down. */
  inside(step: string | number, check: Check, value: unknown, old: unknown): void {
    this.location.push(step)
    check(value, old, this)
    this.location.pop()
  }

  /** Runs a check on the side, and tells what it would report and how much fits. */
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

/** Whether an error here is to be let pass, because nothing here changes. */
export function isUnchanged(value: unknown, old: unknown): boolean {
  return old !== uncorrelated && deepEqual(value, old)
}

/** The old value of a field; uncorrelated when the field is new. */
export function oldField(old: unknown, key: string): unknown {
  if (typeof old !== 'object' || old === null || Array.isArray(old) || !Object.hasOwn(old, key)) return uncorrelated
  return (old as Record<string, unknown>)[key]
}
