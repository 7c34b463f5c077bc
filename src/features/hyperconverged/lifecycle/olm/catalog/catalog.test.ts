import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { addRelease, CatalogInvalid, type CatalogRelease } from './add-release.ts'
import { catalogOf, CatalogUnreadable, readCatalog, type CatalogObject, type ChannelEntry } from './catalog.ts'
import { judgeChannel } from './channel-graph.ts'
import { randomCatalogs } from './random-catalogs.fixture.ts'
import { requiredStopsJumped } from './required-stops.ts'
import { validateCatalog } from './validate-catalog.ts'

const name = (version: string): string => `steadyvm.v${version}`

function release(version: string, more: Partial<CatalogRelease> = {}): CatalogRelease {
  return {
    packageName: 'steadyvm',
    clusterServiceVersion: {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: {
        name: name(version),
        annotations: { capabilities: 'x', 'olm.properties': '[{"type":"olm.maxOpenShiftVersion","value":"4.20"}]' },
      },
      spec: {
        version,
        displayName: 'steadyvm',
        customresourcedefinitions: { owned: [{ name: 'kubevirts.kubevirt.io', version: 'v1', kind: 'KubeVirt' }] },
        relatedImages: [{ name: 'virt-operator', image: `r.test/virt-operator:v${version}` }],
      },
    },
    bundleImage: `r.test/bundle:v${version}`,
    channel: 'stable',
    ...more,
  }
}

const released = (...versions: readonly string[]): readonly CatalogObject[] =>
  versions.reduce<readonly CatalogObject[]>((catalog, version) => addRelease(catalog, release(version)), [])
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

suite('addRelease()', () => {
  test('begins a catalog, and puts each release at the head of its channel', () => {
    const catalog = released('1.0.0', '1.1.0', '2.0.0')
    assert.deepEqual(validateCatalog(catalog), [])
    assert.deepEqual(entriesIn(catalog), [
      { name: name('2.0.0'), replaces: name('1.1.0') },
      { name: name('1.1.0'), replaces: name('1.0.0') },
      { name: name('1.0.0') },
    ])
    const { packages, bundles } = catalogOf(catalog)
    assert.deepEqual(packages, [{ schema: 'olm.package', name: 'steadyvm', defaultChannel: 'stable', description: 'steadyvm' }])
    assert.deepEqual(
      bundles[0]?.properties?.map(({ type, value }) => [type, type === 'olm.csv.metadata' ? '' : value]),
      [
        ['olm.gvk', { group: 'kubevirt.io', kind: 'KubeVirt', version: 'v1' }],
        ['olm.maxOpenShiftVersion', '4.20'],
        ['olm.package', { packageName: 'steadyvm', version: '1.0.0' }],
        ['olm.csv.metadata', ''],
      ],
    )
  })

  test('keeps what it does not know, and other packages', () => {
    const others: readonly CatalogObject[] = [
      { schema: 'olm.package', name: 'other', defaultChannel: 'a', icon: { base64data: '', mediatype: 'b' } } as CatalogObject,
      { schema: 'olm.channel', package: 'other', name: 'a', entries: [{ name: 'other.v1' }] } as CatalogObject,
      {
        schema: 'olm.bundle',
        package: 'other',
        name: 'other.v1',
        image: 'r.test/other',
        properties: [{ type: 'olm.package', value: { packageName: 'other', version: '1.0.0' } }],
      } as CatalogObject,
      { schema: 'example.com', name: 'x' },
    ]
    const catalog = addRelease(others, release('1.0.0'))
    for (const object of others) assert.ok(catalog.includes(object))
  })

  const first = released('1.0.0', '1.1.0')
  const refusals: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['a release that is there', () => addRelease(first, release('1.1.0')), /has steadyvm\.v1\.1\.0 already/],
    ['one that leaves an entry behind', () => addRelease(first, release('1.2.0', { replaces: name('1.0.0') })), /several heads/],
    ['a range that OLM cannot read', () => addRelease(first, release('1.2.0', { skipRange: '>=1.0.0 <=' })), /cannot be read/],
    ['a wildcard without a number', () => addRelease(first, release('1.2.0', { skipRange: 'x' })), /a wildcard needs a number/],
    ['a wrong image', () => addRelease(first, release('1.2.0', { bundleImage: 'R X' })), /"R X" is no image/],
    [
      'an invalid catalog',
      () => addRelease(first.slice(1), release('1.2.0')),
      /^CatalogInvalid: The catalog is invalid: .*package does not exist/,
    ],
  ]
  for (const [title, act, message] of refusals) {
    test(`refuses ${title}`, () => {
      assert.throws(act, (error) => error instanceof CatalogInvalid && message.test(String(error)), title)
    })
  }
})

test('a step over a required version is found, by whichever edge', () => {
  const next = (more: Partial<CatalogRelease>): readonly CatalogObject[] => addRelease(released('1.0.0', '1.1.0'), release('1.2.0', more))
  const rows: readonly (readonly [string, readonly CatalogObject[], readonly string[], number])[] = [
    ['from one to the next', released('1.0.0', '1.1.0', '1.2.0'), ['v1.1.0'], 0],
    ['skipRange', next({ skipRange: '>=1.0.0 <1.2.0' }), ['v1.1.0'], 1],
    ['skips', next({ skips: [name('1.0.0')] }), ['v1.1.0'], 1],
    ['a required version that the catalog lacks', released('1.0.0', '1.2.0'), ['v1.1.0'], 1],
    ['no required version', next({ skipRange: '<1.2.0' }), [], 0],
  ]
  for (const [title, catalog, stops, count] of rows) assert.equal(requiredStopsJumped(catalog, 'steadyvm', stops).length, count, title)
})

suite('readCatalog()', () => {
  test('reads documents of YAML and JSON objects in a row', () => {
    const wanted = [{ schema: 'a' }, { schema: 'b', name: 'n' }]
    assert.deepEqual(readCatalog('---\nschema: a\n---\nschema: b\nname: n\n'), wanted)
    assert.deepEqual(readCatalog('{"schema":"a"}\n---\n{"schema":"b","name":"n"}'), wanted)
    // As `opm render` prints them.
    assert.deepEqual(readCatalog(wanted.map((object) => JSON.stringify(object, undefined, 4)).join('\n')), wanted)
    assert.deepEqual(readCatalog(''), [])
  })

  test('refuses what is none', () => {
    for (const text of ['a: [', '- 1', 'name: x', '"x"']) assert.throws(() => readCatalog(text), CatalogUnreadable, text)
  })
})
