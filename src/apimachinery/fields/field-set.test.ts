import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { difference, equalSets, type FieldSet, fieldSetOf, has, intersection, pathsOf, recursiveDifference, union } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1, FieldsV1Error } from './fields-v1.ts'
import { textOf } from './fields.fixture.ts'

const element = fc.constantFrom('f:a', 'f:b', 'k:{"n":"x"}', 'k:{"n":"y"}', 'v:1', 'v:"1"', 'i:0')
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const sets = fc.array(path, { maxLength: 8 }).map((paths) => fieldSetOf(...paths))

/** The same as a set of texts. */
function members(set: FieldSet): Set<string> {
  return new Set(pathsOf(set).map((each) => each.join('/')))
}

const rule = { numRuns: 1000 }

test('a set equals every set with the same paths', () => {
  fc.assert(
    fc.property(sets, sets, path, (a, b, at) => {
      const [left, right] = [members(a), members(b)]
      assert.deepEqual(members(union(a, b)), new Set([...left, ...right].toSorted((x, y) => order(union(a, b), x, y))))
      assert.deepEqual([...members(intersection(a, b))].toSorted(), [...left].filter((each) => right.has(each)).toSorted())
      assert.deepEqual([...members(difference(a, b))].toSorted(), [...left].filter((each) => !right.has(each)).toSorted())
      const isBelow = (each: string): boolean => [...right].some((gone) => each === gone || each.startsWith(`${gone}/`))
      assert.deepEqual([...members(recursiveDifference(a, b))].toSorted(), [...left].filter((each) => !isBelow(each)).toSorted())
      assert.equal(has(a, at), left.has(at.join('/')))
    }),
    rule,
  )
})

function order(set: FieldSet, x: string, y: string): number {
  const all = [...members(set)]
  return all.indexOf(x) - all.indexOf(y)
}

test('operations without an effect return the same set', () => {
  fc.assert(
    fc.property(sets, (set) => {
      assert.equal(union(set, set), set)
      assert.equal(difference(set, fieldSetOf(['f:none'])), set)
      assert.equal(union(set, fieldSetOf(...pathsOf(set))), set)
    }),
    rule,
  )
})

test('FieldsV1 encodes a set canonically', () => {
  fc.assert(
    fc.property(sets, (set) => {
      const read = decodeFieldsV1(JSON.parse(textOf(set)) as Record<string, unknown>)
      assert.equal(equalSets(read, set), true)
      assert.equal(textOf(fieldSetOf(...pathsOf(set).toReversed())), textOf(set))
    }),
    rule,
  )
})

const written: readonly { name: string; fields: Record<string, unknown>; paths: readonly string[]; text?: string }[] = [
  { name: 'a leaf', fields: { 'f:a': {} }, paths: ['f:a'] },
  { name: 'a node that is owned too', fields: { 'f:a': { '.': {}, 'f:b': {} } }, paths: ['f:a', 'f:a/f:b'] },
  { name: 'a node that only leads on', fields: { 'f:a': { 'f:b': {} } }, paths: ['f:a/f:b'] },
  { name: 'steps of a later time', fields: { 'z:a': {}, 'f:a': {} }, paths: ['f:a'], text: '{"f:a":{}}' },
  { name: 'a node with nothing but steps of a later time', fields: { 'f:a': { 'z:b': {} } }, paths: ['f:a'], text: '{"f:a":{}}' },
  {
    name: 'steps in any order',
    fields: { 'k:{"n":1}': {}, 'f:b': {}, 'f:a': {} },
    paths: ['f:a', 'f:b', 'k:{"n":1}'],
    text: '{"f:a":{},"f:b":{},"k:{\\"n\\":1}":{}}',
  },
]
for (const { name, fields, paths, text } of written) {
  test(`FieldsV1 may have ${name}`, () => {
    const set = decodeFieldsV1(fields)
    assert.deepEqual([...members(set)], paths)
    assert.equal(JSON.stringify(encodeFieldsV1(set)), text ?? JSON.stringify(fields))
  })
}

for (const fields of [{ 'f:a': 1 }, { 'f:a': [] }, { x: {} }, { 'k:1': {} }]) {
  test(`FieldsV1 may not be ${JSON.stringify(fields)}`, () => assert.throws(() => decodeFieldsV1(fields), FieldsV1Error))
}
