import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { catalogOf, type CatalogObject, type ChannelEntry } from './catalog.ts'
import { judgeChannel } from './channel-graph.ts'
import { randomCatalogs } from './random-catalogs.fixture.ts'
import { CatalogUnreadable, readCatalog } from './read-catalog.ts'

const entriesIn = (objects: readonly CatalogObject[], channel = 'stable'): readonly ChannelEntry[] =>
  catalogOf(objects).channels.find((one) => one.name === channel)?.entries ?? []

suite('judgeChannel()', () => {
  const rows: readonly (readonly [string, readonly ChannelEntry[], string | RegExp])[] = [
    ['one entry', [{ name: 'a' }], 'a'],
    [
      'a chain, whose last entry replaces a missing one',
      [
        { name: 'b', replaces: 'a' },
        { name: 'a', replaces: 'gone' },
      ],
      'b',
    ],
    ['a skipped entry beside the chain', [{ name: 'c', replaces: 'a', skips: ['b'] }, { name: 'b', replaces: 'a' }, { name: 'a' }], 'c'],
    [
      'a chain that ends at a skipped entry',
      [{ name: 'c', replaces: 'b', skips: ['b'] }, { name: 'b', replaces: 'a' }, { name: 'a' }],
      /lead from the head to a$/,
    ],
    ['two heads', [{ name: 'b' }, { name: 'a' }], /several heads.*: a, b$/],
    [
      'no head',
      [
        { name: 'b', replaces: 'a' },
        { name: 'a', replaces: 'b' },
      ],
      /no head/,
    ],
    [
      'a circle behind the head',
      [
        { name: 'c', replaces: 'b' },
        { name: 'b', replaces: 'a' },
        { name: 'a', replaces: 'b' },
      ],
      /in a circle: c → b → a → b/,
    ],
  ]
  for (const [title, entries, wanted] of rows) {
    test(title, () => {
      const verdict = judgeChannel(entries)
      if (typeof wanted === 'string') assert.deepEqual(verdict, { head: wanted })
      else assert.match('problem' in verdict ? verdict.problem : '', wanted)
    })
  }

  test('accepts a channel exactly if all entries that are not skipped are on one path from its only head', () => {
    const all = randomCatalogs
      .map((objects) => entriesIn(objects))
      .filter((entries) => new Set(entries.map((one) => one.name)).size === entries.length)
    fc.assert(
      fc.property(all, (entries) => {
        const skipped = entries.flatMap(({ skips = [] }) => skips)
        const kept = entries.filter((one) => !skipped.includes(one.name))
        const heads = kept.filter((one) => entries.every(({ replaces }) => replaces !== one.name))
        // Steps from an entry along `replaces`, until one is skipped, missing, or visited again.
        const walk = (at: string, visited: readonly string[]): readonly string[] => {
          const next = entries.find((one) => one.name === at)
          return next === undefined || skipped.includes(at) || visited.includes(at)
            ? [...visited, at]
            : walk(next.replaces ?? '', [...visited, at])
        }
        const path = walk(heads[0]?.name ?? '', [])
        const isCircle = path.indexOf(path.at(-1) ?? '') < path.length - 1
        const isValid = heads.length === 1 && !isCircle && kept.every((one) => path.includes(one.name))
        assert.equal('head' in judgeChannel(entries), isValid, JSON.stringify(entries))
      }),
      { numRuns: 1_000 },
    )
  })
})

suite('readCatalog()', () => {
  test('reads documents of YAML and JSON objects in a row', () => {
    const wanted = [{ schema: 'a' }, { schema: 'b', name: 'web' }]
    assert.deepEqual(readCatalog('---\nschema: a\n---\nschema: b\nname: web\n'), wanted)
    assert.deepEqual(readCatalog('{"schema":"a"}\n---\n{"schema":"b","name":"web"}'), wanted)
    // As `opm render` prints them.
    assert.deepEqual(readCatalog(wanted.map((object) => JSON.stringify(object, undefined, 4)).join('\n')), wanted)
    assert.deepEqual(readCatalog(''), [])
  })

  test('refuses what is none', () => {
    for (const text of ['a: [', '- 1', 'name: x', '"x"']) assert.throws(() => readCatalog(text), CatalogUnreadable, text)
  })
})
