import type { FieldSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'

/** The fields of one manager, as it sees them in the version that it writes. */
export interface ManagedSet {
  readonly apiVersion: string
  readonly fields: FieldSet
  readonly applied: boolean
}

/** Who owns what, by an identity that the caller makes up. */
export type Managers = ReadonlyMap<string, ManagedSet>

/** The versions of a kind. */
export interface Versions {
  /** Undefined for a version that there is not, or not any more. */
  typeOf(apiVersion: string): FieldType | undefined
  /** The object in another version. Only asked for versions that have a type. */
  convert(object: unknown, from: string, to: string): unknown
  /** Fields that a write in this version leaves alone whatever it says. */
  ignored(apiVersion: string): FieldSet
}

/** A write: by whom, in which version. */
export interface Writing {
  readonly versions: Versions
  readonly apiVersion: string
  readonly manager: string
  /** Fields that nobody owns, because the server decides on them. */
  readonly unowned: FieldSet
}
