import { libraryType } from './signature.ts'
import * as types from './types.ts'
import type { CelType } from './types.ts'

const library = ['Quantity', 'Semver', 'URL', 'Format', 'IP', 'CIDR', 'Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision']

const byName: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['bool', types.bool],
  ['int', types.int],
  ['uint', types.uint],
  ['double', types.double],
  ['string', types.string],
  ['bytes', types.bytes],
  ['null_type', types.nullType],
  ['dyn', types.dyn],
  ['type', types.typeOf(types.dyn)],
  ['list', types.listOf(types.dyn)],
  ['map', types.mapOf(types.dyn, types.dyn)],
  ['optional_type', types.optionalOf(types.dyn)],
  ['google.protobuf.Timestamp', types.timestamp],
  ['google.protobuf.Duration', types.duration],
  ...library.map((name): [string, CelType] => [types.typeName(libraryType(name)), libraryType(name)]),
])

/** Returns the type that a name denotes in an expression, as in `type(x) == string`. */
export function typeNamed(name: string): CelType | undefined {
  return byName.get(name)
}
