import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinDefinitions } from '../builtin-definitions.ts'

test('namespaces can only be deleted one by one, other things all at once', () => {
  const without = builtinDefinitions().filter(({ verbs }) => verbs.includes('delete') && !verbs.includes('deletecollection'))
  assert.deepEqual(
    without.map(({ plural }) => plural),
    ['namespaces'],
  )
})
