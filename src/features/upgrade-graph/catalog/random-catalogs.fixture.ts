import fc from 'fast-check'
import type { CatalogObject, ChannelEntry } from './catalog.ts'

const versions = ['1.0.0', '1.1.0', '1.2.0', '2.0.0', '2.1.0'] as const
const names = versions.map((version) => `pkg.v${version}`)
const mostly = <T>(usual: fc.Arbitrary<T>, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...others) })

/** A chain of versions, of which each replaces the one before; some skip others. */
const chain: fc.Arbitrary<ChannelEntry[]> = fc.subarray([...names], { minLength: 1 }).chain((chosen) =>
  fc.tuple(
    ...chosen.map((name, index) =>
      fc.record(
        {
          name: fc.constant(name),
          replaces: mostly(fc.constant(chosen[index - 1] ?? 'pkg.v0.9.0'), '', ...names),
          skips: fc.oneof({ weight: 6, arbitrary: fc.constant<string[]>([]) }, fc.subarray(['', ...chosen], { maxLength: 2 })),
          skipRange: mostly(fc.constantFrom('', '>=1.0.0 <2.0.0', '1.x || >2.0.0'), '^1.0.0', '>=1.0.0 <', 'x', '1.0', '!=1.0.0'),
        },
        { requiredKeys: ['name', 'replaces'] },
      ),
    ),
  ),
)

/** Chains, and entries in any order and relation. */
const entries: fc.Arbitrary<readonly ChannelEntry[]> = fc.oneof(
  { weight: 5, arbitrary: chain },
  fc.array(
    fc.record(
      {
        name: fc.constantFrom(...names),
        replaces: fc.constantFrom('', 'pkg.v0.9.0', ...names),
        skips: fc.subarray([...names], { maxLength: 2 }),
      },
      { requiredKeys: ['name'] },
    ),
    { maxLength: 5 },
  ),
)

const bundles: fc.Arbitrary<readonly CatalogObject[]> = fc.tuple(
  ...versions.map((version, index) =>
    fc
      .record({
        image: mostly(fc.constant('r.test:5000/team/pkg:v1'), '', 'R X', 'r.test/pkg@sha256:0', 'pkg', 'r.test/UPPER'),
        packageName: mostly(fc.constant('pkg'), 'other', ''),
        version: mostly(fc.constant<string>(version), '1', 'v1.0.0', '1.0.0', '1.0.0-rc.1+b'),
        release: mostly(fc.constant(''), '1', '01'),
        package: mostly(fc.constant('pkg'), 'other', ''),
        further: mostly(
          fc.constant<readonly object[]>([]),
          [{ type: '', value: 1 }],
          [{ type: 'olm.package', value: { packageName: 'pkg', version } }],
        ),
      })
      .map(({ image, packageName, release, further, package: owner, ...one }) => ({
        schema: 'olm.bundle',
        package: owner,
        name: names[index] ?? '',
        image,
        properties: [
          { type: 'olm.package', value: { packageName, version: one.version, ...(release === '' ? {} : { release }) } },
          ...further,
        ],
        relatedImages: [{ name: '', image }],
      })),
  ),
)

/** Catalogs of one package with one or two channels, valid and invalid in about equal parts. */
export const randomCatalogs: fc.Arbitrary<readonly CatalogObject[]> = fc
  .record({
    packages: mostly(fc.constant<readonly string[]>(['pkg']), [], ['pkg', 'pkg'], ['Pkg'], ['pkg', 'empty']),
    defaultChannel: mostly(fc.constant('stable'), '', 'none'),
    channels: fc.tuple(entries, fc.option(entries, { freq: 3 })),
    secondName: mostly(fc.constant('fast'), 'stable', ''),
    bundles,
    missing: mostly(fc.constant(-1), 0, 1, 2),
    deprecated: mostly(
      fc.constant<readonly object[]>([]),
      [{ reference: { schema: 'olm.package' }, message: 'a' }],
      [{ reference: { schema: 'olm.channel', name: 'stable' }, message: '' }],
      [{ reference: { schema: 'olm.bundle', name: 'none' }, message: 'a' }],
    ),
  })
  .map(({ packages, defaultChannel, channels: [first, second], secondName, missing, deprecated, ...more }) => {
    const used = new Set([first, second ?? []].flatMap((list) => list.map(({ name }) => name)))
    return [
      ...packages.map((name) => ({ schema: 'olm.package', name, defaultChannel })),
      { schema: 'olm.channel', package: 'pkg', name: 'stable', entries: first },
      ...(second === null ? [] : [{ schema: 'olm.channel', package: 'pkg', name: secondName, entries: second }]),
      ...more.bundles.filter(({ name = '' }, index) => used.has(name) && index !== missing),
      ...(deprecated.length === 0 ? [] : [{ schema: 'olm.deprecations', package: 'pkg', entries: deprecated } as CatalogObject]),
    ]
  })
