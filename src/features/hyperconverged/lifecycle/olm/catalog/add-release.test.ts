import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { catalogOf, validateCatalog, type CatalogObject, type ChannelEntry } from '#features/upgrade-graph/index.ts'
import { addRelease, CatalogInvalid, requiredStopsJumped, type CatalogRelease } from './add-release.ts'

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
