import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinDefinitions } from '../builtin-definitions.ts'

test('namespaces have no deletecollection, unlike other kinds', () => {
  const without = builtinDefinitions().filter(({ verbs }) => verbs.includes('delete') && !verbs.includes('deletecollection'))
  assert.deepEqual(
    without.map(({ plural }) => plural),
    ['namespaces'],
  )
})
