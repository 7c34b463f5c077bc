import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CatalogUnreadable, readCatalogFiles } from './read-catalog.ts'

const read = (text: string): ReturnType<typeof readCatalogFiles> => readCatalogFiles([{ path: 'c.yaml', text }])

test('names every problem with its file, line and field', () => {
  const text = [
    'schema: olm.channel',
    'package: p',
    'name: a',
    'entries:',
    '- name: 1.1',
    '  skips: x',
    '---',
    'name: web',
    '---',
    'schema: olm.package',
    'name: on',
    '---',
    'a: [',
  ].join('\n')
  assert.throws(
    () => read(text),
    (error) => {
      assert.ok(error instanceof CatalogUnreadable)
      assert.deepEqual(
        error.problems.map((problem) => problem.replace(/(is no YAML): .*/, '$1')),
        [
          'c.yaml:1: olm.channel "a": entries[0].name must be a string, and is 1.1: it needs quotes',
          'c.yaml:1: olm.channel "a": entries[0].skips must be a list, and is "x"',
          'c.yaml:8: the document has no "schema"',
          'c.yaml:10: name must be a string, and is true: it needs quotes',
          'c.yaml:13: the document is no YAML',
        ],
      )
      return true
    },
  )
})

test('tells what opm ignores in silence', () => {
  const { ignored = [] } = read(
    'schema: olm.channel\npackage: p\nname: a\nentries:\n- name: x\n  replace: y\nname: b\n---\nschema: olm.semver\n---\nschema: example.com\n',
  )
  assert.deepEqual(
    ignored.map(({ place, what }) => `${place}: ${what.replace(/,.*/, '')}`),
    [
      'c.yaml:1: unknown field entries[0].replace',
      'c.yaml:1: the key "name" is there more than once',
      'c.yaml:9: it is no part of a catalog',
    ],
  )
})

test('reads or refuses any text, and nothing else happens', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ':',
    ',',
    '\n',
    ' ',
    '---\n',
    'schema: x\n',
    '{"schema":"x"}',
    '&a',
    '*a',
    '<<: ',
    '- ',
    '#',
    '\t',
    '\u0000',
    '|',
    '!!x ',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.string(),
      ),
      (text) => {
        try {
          for (const object of read(text).objects) assert.equal(typeof object.schema, 'string')
        } catch (error) {
          assert.ok(error instanceof CatalogUnreadable, String(error))
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('values that unfold or nest without end are refused', () => {
  const aliases = Array.from(
    { length: 12 },
    (_, index) =>
      `a${index}: &a${index} [${
        index === 0
          ? '1'
          : Array(9)
              .fill(`*a${index - 1}`)
              .join()
      }]`,
  )
  for (const text of [`schema: x\n${aliases.join('\n')}\n`, `{"schema":"x","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`])
    assert.throws(() => read(text), CatalogUnreadable)
})
