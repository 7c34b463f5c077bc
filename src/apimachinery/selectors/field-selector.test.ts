import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { formatFieldSelector, parseFieldSelector } from './field-selector.ts'
import { SelectorError } from './selector-error.ts'

suite('parseFieldSelector()', () => {
  test('parseFieldSelector() reads all operators', () => {
    assert.deepEqual(parseFieldSelector('metadata.name=a,status.phase!=Running,x==y'), [
      { field: 'metadata.name', operator: '=', value: 'a' },
      { field: 'status.phase', operator: '!=', value: 'Running' },
      { field: 'x', operator: '=', value: 'y' },
    ])
  })
  test('parseFieldSelector() accepts empty selectors, terms and values', () => {
    assert.deepEqual(parseFieldSelector(''), [])
    assert.deepEqual(parseFieldSelector(',spec.nodeName=,'), [{ field: 'spec.nodeName', operator: '=', value: '' }])
  })
  test('parseFieldSelector() decodes escapes', () => {
    assert.deepEqual(parseFieldSelector(String.raw`a=x\,y\=z\\`), [{ field: 'a', operator: '=', value: 'x,y=z\\' }])
  })
  for (const text of ['a', 'a=b=c', String.raw`a=\x`, 'a=\\']) {
    test(`parseFieldSelector() refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseFieldSelector(text), SelectorError))
  }
  test('parseFieldSelector() reads what formatFieldSelector() writes', () => {
    const requirement = fc.record({
      field: fc.stringMatching(/^[a-z.]{1,8}$/),
      operator: fc.constantFrom('=' as const, '!=' as const),
      value: fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!', ' ') }),
    })
    fc.assert(
      fc.property(fc.array(requirement), (list) =>
        assert.deepEqual(
          parseFieldSelector(formatFieldSelector(list)),
          list.map((item) => ({ ...item })),
        ),
      ),
    )
  })
})
