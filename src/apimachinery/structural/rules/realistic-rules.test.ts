import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { StructuralSchema } from '../schema.ts'
import { checkRules } from './check-rules.ts'
import { realisticRules, realisticSpec } from './realistic-rules.fixture.ts'
import { validateRules } from './validate-rules.ts'

suite('rules of real CRDs', () => {
  for (const { rule, good, bad, old } of realisticRules) {
    test(rule, () => {
      const schema: StructuralSchema = {
        type: 'object',
        properties: { spec: { ...realisticSpec, 'x-kubernetes-validations': [{ rule, message: 'no' }] } },
      }
      assert.deepEqual(checkRules(schema, 'schema'), [])
      const before = old === undefined ? undefined : { spec: old }
      assert.deepEqual(validateRules({ spec: good }, schema, before).errors, [])
      assert.deepEqual(
        validateRules({ spec: bad }, schema, before).errors.map(({ field, message }) => `${field}: ${message}`),
        ['spec: Invalid value: "object": no'],
      )
    })
  }
})
