import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { definitionsOf } from './remote-definitions.ts'

const kinds = [{ group: 'example.test', version: 'v1', kind: 'Flunder' }]
const flunder = {
  type: 'object',
  description: 'A flunder.',
  properties: { spec: { $ref: '#/definitions/test.Spec' }, meta: { $ref: '#/definitions/gone' }, any: { not: {}, format: 'x' } },
  'x-kubernetes-group-version-kind': kinds,
}

suite('definitionsOf()', () => {
  const document = Buffer.from(
    JSON.stringify({
      definitions: {
        'test.Flunder': flunder,
        'test.Spec': { type: 'object', additionalProperties: { $ref: '#/definitions/test.Spec' }, externalDocs: {} },
        'test.Other': { 'x-kubernetes-group-version-kind': [{ ...kinds[0], version: 'v2' }] },
      },
    }),
  )
  test('returns the kinds of the group version and everything they refer to, once', () => {
    assert.deepEqual(definitionsOf(document, 'example.test', 'v1'), {
      'test.Flunder': { ...flunder, properties: { ...flunder.properties, any: { format: 'x' } } },
      'test.Spec': { type: 'object', additionalProperties: { $ref: '#/definitions/test.Spec' } },
    })
    assert.deepEqual(definitionsOf(document, 'other.test', 'v1'), {})
  })

  test('returns nothing for malformed documents', () => {
    for (const nonsense of ['{}', '[]', 'null', '{"definitions":[1]}', '{"definitions":{"a":null}}'])
      assert.deepEqual(definitionsOf(Buffer.from(nonsense), 'g', 'v1'), {})
  })
})
