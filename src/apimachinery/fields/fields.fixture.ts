import fc from 'fast-check'
import type { StructuralSchema } from '../structural/schema.ts'
import { type FieldSet, noFields } from './field-set.ts'
import { type FieldType, fieldTypeOf } from './field-type.ts'
import { encodeFieldsV1 } from './fields-v1.ts'
import type { Managers, Writing } from './managers.ts'

const text: StructuralSchema = { type: 'string' }
const whole: StructuralSchema = { type: 'integer' }

/** A schema with every kind of ownership. */
export const schema: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    count: whole,
    struct: { type: 'object', properties: { a: text, b: whole, inner: { type: 'object', properties: { x: text } } } },
    atomicMap: { type: 'object', properties: { a: text, b: text }, 'x-kubernetes-map-type': 'atomic' },
    labels: { type: 'object', additionalProperties: text },
    groups: { type: 'object', additionalProperties: { type: 'object', properties: { a: text, b: whole } } },
    list: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
      items: {
        type: 'object',
        properties: {
          name: text,
          protocol: { type: 'string', default: 'TCP' },
          port: whole,
          tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
  },
}
export const type: FieldType = fieldTypeOf(schema)

/** A write in the only version. */
export function writing(manager: string): Writing {
  return {
    versions: { typeOf: () => type, convert: (object) => object, ignored: () => noFields },
    apiVersion: 'v1',
    manager,
    unowned: noFields,
  }
}

/** Sets as the text that is stored. */
export function textOf(set: FieldSet): string {
  return JSON.stringify(encodeFieldsV1(set))
}

/** Ownership by manager, as stored. */
export function owned(managers: Managers): Record<string, unknown> {
  return Object.fromEntries([...managers].map(([manager, { fields }]) => [manager, encodeFieldsV1(fields)]))
}

const letter = fc.constantFrom('x', 'y', 'z')
const digit = fc.constantFrom(1, 2, 10)

function optional(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Record<string, unknown>>
}

function dictionary(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.dictionary(fc.constantFrom('p', 'q', 'r'), value, { noNullPrototype: true })
}

const item = fc.record(
  { name: letter, protocol: fc.constantFrom('TCP', 'UDP'), port: digit, tags: fc.uniqueArray(letter) },
  { requiredKeys: ['name'], noNullPrototype: true },
)
const free: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, letter, digit, fc.constant(null), dictionary(tie('value')), fc.array(letter, { maxLength: 2 })),
})).value

/** Objects of the schema. */
export const objects: fc.Arbitrary<Record<string, unknown>> = optional({
  name: letter,
  count: digit,
  struct: optional({ a: letter, b: digit, inner: optional({ x: letter }) }),
  atomicMap: optional({ a: letter, b: letter }),
  labels: dictionary(letter),
  groups: dictionary(optional({ a: letter, b: digit })),
  list: fc.array(letter, { maxLength: 3 }),
  set: fc.uniqueArray(letter),
  keyed: fc.uniqueArray(item, { selector: ({ name, protocol }) => `${name}/${protocol ?? 'TCP'}`, maxLength: 3 }),
  free: dictionary(free),
  either: fc.oneof(letter, digit),
})
