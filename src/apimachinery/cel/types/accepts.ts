import type { CelType } from './types.ts'
import type { CelValue } from '../values/values.ts'

/** Reports whether a value has the type of a parameter. Items of lists and maps are not checked. */
export function accepts(type: CelType, value: CelValue): boolean {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true
  if (type.kind === 'string') return typeof value === 'string'
  if (type.kind === 'int') return typeof value === 'bigint'
  if (type.kind === 'bool') return typeof value === 'boolean'
  if (type.kind === 'double') return typeof value === 'number'
  if (type.kind === 'null') return value === null
  if (type.kind === 'bytes') return value instanceof Uint8Array
  return acceptsStructure(type, value)
}

function acceptsStructure(type: CelType, value: CelValue): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  if (type.kind === 'object') return value.kind === 'map'
  if (type.kind !== 'opaque') return value.kind === type.kind
  return type.name === 'optional_type' ? value.kind === 'optional' : value.kind === 'opaque' && value.typeName === type.name
}
