import { test } from 'node:test'
import { parseDocComment } from './doc-comment.ts'

test('prose becomes one paragraph and markers end with their line', (t) => {
  const doc = parseDocComment(
    '/**\n * Seconds until it is killed,\n * counted from the signal.\n *\n * @default 30\n * @listType map key=name\n * @nullable\n */',
  )
  t.assert.equal(doc.description, 'Seconds until it is killed, counted from the signal.')
  t.assert.deepEqual(
    [...doc.markers],
    [
      ['default', '30'],
      ['listType', 'map key=name'],
      ['nullable', ''],
    ],
  )
})

test('a comment of one line is prose', (t) => {
  const doc = parseDocComment('/** Mail to `a@b.example`, not a marker. */')
  t.assert.equal(doc.description, 'Mail to `a@b.example`, not a marker.')
  t.assert.equal(doc.markers.size, 0)
})

test('a marker that ends with a comma, a semicolon or a backslash goes on in the next line', (t) => {
  const doc = parseDocComment(`/**
   * Prose.
   * @enum A,B,
   * C
   * @rule a || \\
   * b;
   * message
   * More prose.
   */`)
  t.assert.deepEqual([doc.description, doc.markers.get('enum'), doc.markers.get('rule')], ['Prose. More prose.', 'A,B,C', 'a || b;message'])
})
