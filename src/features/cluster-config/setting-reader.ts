import { durationMs } from '#apimachinery/cel/values/time.ts'
import { parseQuantity, QuantityError } from '#apimachinery/quantity.ts'

/** A value of the KubeVirt object that cannot be acted on. */
export interface ConfigProblem {
  /** Path from the object's root: `spec.configuration.evictionStrategy`. */
  readonly field: string
  /** Actual value and allowed values. */
  readonly message: string
}

/**
 * Reads settings separately. An absent value gives the default; an invalid one gives the last valid
 * value, and a problem. One invalid value does not affect the others.
 */
export class SettingReader {
  readonly problems: ConfigProblem[] = []

  /** Reads one of several values. */
  choice<T extends string>(field: string, value: unknown, allowed: readonly T[], { unset, last }: Fallback<T>): T {
    if (isUnset(value)) return unset
    const found = allowed.find((word) => word === value)
    return found ?? this.#bad(field, value, `one of ${allowed.join(', ')}`, last)
  }

  /** Reads a set of allowed values, each at most once. */
  choices<T extends string>(field: string, value: unknown, allowed: readonly T[], { unset, last }: Fallback<readonly T[]>): readonly T[] {
    if (isUnset(value)) return unset
    const wanted = `a list of ${allowed.join(', ')}`
    if (!Array.isArray(value)) return this.#bad(field, value, wanted, last)
    const found = allowed.filter((word) => value.includes(word))
    if (found.length !== new Set(value).size) return this.#bad(field, value, wanted, last)
    // In the order of the user, which is one of preference.
    return found.toSorted((a, b) => value.indexOf(a) - value.indexOf(b))
  }

  /** A whole number, at least `least`. */
  count<T extends number | undefined>(field: string, value: unknown, least: number, { unset, last }: Fallback<T>): T | number {
    if (isUnset(value)) return unset
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
    return this.#bad(field, value, `a whole number of at least ${least}`, last)
  }

  /** A quantity above nothing. */
  quantity(field: string, value: unknown, last: string | undefined): string | undefined {
    if (isUnset(value)) return undefined
    try {
      if ((typeof value === 'string' || typeof value === 'number') && parseQuantity(value).nanos > 0n) return String(value)
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error
    }
    return this.#bad(field, value, 'a quantity above 0, such as 500m or 2Gi', last)
  }

  /** A duration as Go writes it, at least nothing, in milliseconds. */
  duration(field: string, value: unknown, { unset, last }: Fallback<number>): number {
    if (isUnset(value)) return unset
    const ms = typeof value === 'string' ? durationMs(value) : undefined
    return ms !== undefined && ms >= 0 ? ms : this.#bad(field, value, 'a duration of at least 0, such as 90s or 1m30s', last)
  }

  /** A list of names that may not be in another list as well. */
  without(field: string, names: readonly string[], other: { readonly field: string; readonly names: readonly string[] }): void {
    for (const name of new Set(names))
      if (other.names.includes(name))
        this.problems.push({ field, message: `must not name ${JSON.stringify(name)}, which ${other.field} names as well` })
  }

  /** A list that must have a property, which `wanted` describes, unless it is empty. */
  list(field: string, values: readonly string[], wanted: string, isFine: (values: readonly string[]) => boolean): void {
    if (values.length > 0 && !isFine(values)) this.#bad(field, values, wanted, undefined)
  }

  #bad<T>(field: string, value: unknown, wanted: string, last: T): T {
    this.problems.push({ field, message: `must be ${wanted}, and is ${JSON.stringify(value)}` })
    return last
  }
}

/** Replacements of an absent and of an invalid value. */
export interface Fallback<T> {
  readonly unset: T
  readonly last: T
}

/** Go encodes an unset value as an empty string where the field is not a pointer. */
function isUnset(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}
