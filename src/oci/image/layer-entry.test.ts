import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesWithout, LayerConflict, orderedEntries, type LayerEntry } from './layer-entry.ts'

const file = (path: string, text = ''): LayerEntry => ({ kind: 'file', path, mode: 0o644, content: Buffer.from(text) })
const link = (path: string, target: string): LayerEntry => ({ kind: 'link', path, target })
const paths = (entries: readonly LayerEntry[]): string[] => entries.map(({ path }) => path)

test('entries are sorted with their parent folders, in any order of the input', () => {
  const entries = [file('usr/lib/b'), file('etc/passwd'), file('usr/lib/a'), file('usr/lib/b')]
  const expected = ['etc', 'etc/passwd', 'usr', 'usr/lib', 'usr/lib/a', 'usr/lib/b']
  assert.deepEqual(paths(orderedEntries(entries)), expected)
  assert.deepEqual(paths(orderedEntries(entries.toReversed())), expected)
})

test('a folder keeps its mode', () => {
  const [folder] = orderedEntries([file('tmp/a'), { kind: 'directory', path: 'tmp', mode: 0o1777 }])
  assert.deepEqual(folder, { kind: 'directory', path: 'tmp', mode: 0o1777 })
})

for (const [what, ...entries] of [
  ['one path with two contents', file('a', '1'), file('a', '2')],
  ['a file and a link', file('a'), link('a', 'b')],
  // The unpacked link would lead the file elsewhere.
  ['a file below a link', link('lib', 'usr/lib'), file('lib/x')],
] as const) {
  test(`a layer refuses ${what}`, () => assert.throws(() => orderedEntries(entries), LayerConflict))
}

test('a layer leaves out what is below it', () => {
  assert.deepEqual(paths(entriesWithout([file('a'), file('b')], [file('a', 'other')])), ['b'])
})
