import type { FieldSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'

/** The fields of one manager, as it sees them in the version that it writes. */
export interface ManagedSet {
  readonly apiVersion: string
  readonly fields: FieldSet
  readonly applied: boolean
}

/** Owned fields by manager, under an identity chosen by the caller. */
export type Managers = ReadonlyMap<string, ManagedSet>

/** The versions of a kind. */
export interface Versions {
  /** Undefined for a version that there is not, or not any more. */
  typeOf(apiVersion: string): FieldType | undefined
  /** Converts the object to another version. Called only for versions that have a type. */
  convert(object: unknown, from: string, to: string): unknown
  /** Fields that a write in this version never changes. */
  ignored(apiVersion: string): FieldSet
}

/** Manager and version of a write. */
export interface Writing {
  readonly versions: Versions
  readonly apiVersion: string
  readonly manager: string
  /** Fields without owner, because the server sets them. */
  readonly unowned: FieldSet
}
