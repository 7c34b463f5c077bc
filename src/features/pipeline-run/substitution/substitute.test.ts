import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReferenceUnresolved, substituteList, substituteText, substituteValue, type ValueOf } from './substitute.ts'

const values: ValueOf = ({ segments }) =>
  ({ 'params|p': 'v$(params.l)', 'params|a.b': 'dotted', 'params|l': ['x', 'y'], 'params|none': [] })[segments.join('|')]

const texts: readonly (readonly [string, string])[] = [
  ['$(params.p)', 'v$(params.l)'],
  ['<$(params.p)>', '<v$(params.l)>'],
  ['$(inputs.params.p)', 'v$(params.l)'],
  [`$(params["a.b"])$(params['a.b'])`, 'dotteddotted'],
  ['$(params.l[1])', 'y'],
  ['$(date) $(HOME) $params.p', '$(date) $(HOME) $params.p'],
]
for (const [text, wanted] of texts) test(`${text} becomes ${wanted}`, () => assert.equal(substituteText(text, values), wanted))

for (const text of ['$(params.no)', '$(params.l)', '$(params.l[2])'])
  test(`${text} in a text is an error`, () => assert.throws(() => substituteText(text, values), ReferenceUnresolved))

test('an array takes the place of its element', () => {
  assert.deepEqual(substituteList(['a', '$(params.l[*])', '$(params.none[*])', 'b'], values), ['a', 'x', 'y', 'b'])
  assert.deepEqual(substituteValue('$(params.l[*])', values), ['x', 'y'])
})
