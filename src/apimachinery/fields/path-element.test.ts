import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareElements, keyElement, parseElement, PathElementError, printPath } from './path-element.ts'

const read: readonly { text: string; element: string | undefined }[] = [
  { text: 'f:a:b', element: 'f:a:b' },
  { text: 'k:{ "b":1, "a":"x" }', element: 'k:{"a":"x","b":1}' },
  { text: 'k:{"a":"\\u003c"}', element: 'k:{"a":"<"}' },
  { text: 'v:1.0', element: 'v:1' },
  { text: 'i:03', element: 'i:3' },
  { text: 'z:later', element: undefined },
]
for (const { text, element } of read) {
  test(`parseElement() reads ${text} as ${String(element)}`, () => assert.equal(parseElement(text), element))
}

for (const text of ['', 'f', 'fa:', 'k:[1]', 'k:{', 'v:', 'i:x']) {
  test(`parseElement() refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseElement(text), PathElementError))
}

test('keyElement() sorts the keys', () => {
  assert.equal(
    keyElement([
      ['protocol', 'TCP'],
      ['containerPort', 80],
    ]),
    'k:{"containerPort":80,"protocol":"TCP"}',
  )
})

test('elements are ordered as fields, keys, values, indices, and numbers by value', () => {
  const sorted = [
    'f:a',
    'f:b',
    'k:{"n":2}',
    'k:{"n":10}',
    'k:{"n":"x"}',
    'k:{"n":"x","o":1}',
    'v:2',
    'v:10',
    'v:"a"',
    'v:true',
    'i:2',
    'i:10',
  ]
  assert.deepEqual(sorted.toReversed().sort(compareElements), sorted)
})

test('printPath() prints a readable path', () => {
  assert.equal(printPath(['f:a', 'k:{"n":"x","p":80}', 'f:b', 'v:"y"', 'i:0']), '.a[n="x",p=80].b[="y"][0]')
})
