import {
  VirtualMachineInstancetypeSpec as instancetypeSchema,
  VirtualMachinePreferenceSpec as preferenceSchema,
} from '#api/instancetype/v1beta1/schema.generated.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import type { Family } from '../matcher.ts'

/**
 * Returns the reason why the engine cannot read an object: a field that is missing, or has another
 * type. Undefined when it can. Values are not validated: a VM whose hardware was captured under
 * laxer rules must keep running.
 */
export function findTypeError(object: { readonly metadata?: unknown; readonly spec?: unknown }, family: Family): string | undefined {
  const [error] = validateStructural({ metadata: object.metadata, spec: object.spec }, schemas[family])
  return error === undefined ? undefined : `${error.field}: ${error.message}`
}

const text: StructuralSchema = { type: 'string' }
const metadata: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    namespace: text,
    uid: text,
    generation: { type: 'integer' },
    annotations: { type: 'object', additionalProperties: text },
  },
}

/** Ranges of Go's integer types, signed and unsigned. */
const ranges: Readonly<Record<string, StructuralSchema>> = {
  int32: { minimum: -(2 ** 31), maximum: 2 ** 32 - 1 },
  int64: { minimum: -(2 ** 63), maximum: 2 ** 63 },
}

const schemas: Readonly<Record<Family, StructuralSchema>> = {
  instancetype: { type: 'object', properties: { metadata, spec: typesOf(instancetypeSchema) } },
  preference: { type: 'object', properties: { metadata, spec: typesOf(preferenceSchema) } },
}

/** Returns a schema without its value restrictions. */
function typesOf(schema: StructuralSchema): StructuralSchema {
  const { type, format = '', required, items, properties, additionalProperties } = schema
  const isEither = schema['x-kubernetes-int-or-string'] === true
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === 'integer' ? ranges[format] : {}),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: typesOf(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, typesOf(field)])) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: typesOf(additionalProperties) } : {}),
    ...(isEither ? { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } : {}),
  }
}
