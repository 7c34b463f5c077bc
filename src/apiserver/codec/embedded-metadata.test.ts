import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { coerceEmbedded, EmbeddedTypeError } from './embedded-metadata.ts'

const resource: StructuralSchema = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }
const schema: StructuralSchema = {
  type: 'object',
  properties: { one: resource, list: { type: 'array', items: resource }, map: { type: 'object', additionalProperties: resource } },
}

suite('coerceEmbedded()', () => {
  test('canonicalizes metadata wherever the schema embeds a resource', () => {
    const embedded = { kind: 'A', metadata: { name: 'a', creationTimestamp: null, labels: {}, extra: 1 }, spec: { metadata: { extra: 1 } } }
    const clean = { kind: 'A', metadata: { name: 'a' }, spec: { metadata: { extra: 1 } } }
    const object = { one: embedded, list: [embedded], map: { x: embedded } }
    assert.deepEqual(coerceEmbedded(object, schema, 'refuse'), { one: clean, list: [clean], map: { x: clean } })
  })

  test('returns the same object without changes', () => {
    const object = { one: { kind: 'A', metadata: { name: 'a' } }, list: [], other: 1 }
    assert.equal(coerceEmbedded(object, schema, 'refuse'), object)
    assert.equal(coerceEmbedded(object, { type: 'object' }, 'refuse'), object)
  })

  const malformed: readonly { readonly name: string; readonly one: object; readonly message: string; readonly left: object }[] = [
    {
      name: 'a field of the wrong type',
      one: { metadata: { name: 1, labels: { a: 'b' } } },
      message:
        'one.metadata: Invalid value: map[string]interface {}{"labels":map[string]interface {}{"a":"b"}, "name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
      left: { metadata: { labels: { a: 'b' } } },
    },
    {
      name: 'metadata that is no object',
      one: { kind: 'A', metadata: 'x' },
      message:
        'one.metadata: Invalid value: "x": json: cannot unmarshal string into Go struct field ObjectMeta.metadata of type ObjectMeta',
      left: { kind: 'A' },
    },
    { name: 'a kind that is no text', one: { kind: 1 }, message: 'one.kind: Invalid value: 1: must be a string', left: {} },
  ]
  for (const { name, one, message, left } of malformed) {
    test(`refuses ${name} in a request, and drops it from a stored object`, () => {
      assert.throws(
        () => coerceEmbedded({ one }, schema, 'refuse'),
        (error: unknown) => error instanceof EmbeddedTypeError && error.message === message,
      )
      assert.deepEqual(coerceEmbedded({ one }, schema, 'drop'), { one: left })
    })
  }
})
