import fc from 'fast-check'
import type { CatalogObject, ChannelEntry } from './catalog/catalog.ts'

const numbers = ['1.0.0', '1.0.1', '1.1.0', '2.0.0', '2.1.0'] as const
const names = numbers.map((number) => `pkg.v${number}`)
const ranges = ['', '', '', '>=1.0.0 <1.1.0', '<2.0.0', '>=1.0.0 <=2.1.0', '1.x', '1.0.1 || >2.0.0', '!=1.1.0', '>=1.0.0 <'] as const

/** Mostly a chain with some defects, sometimes anything. */
const entries: fc.Arbitrary<readonly ChannelEntry[]> = fc
  .tuple(fc.shuffledSubarray([...names], { minLength: 1 }), fc.boolean())
  .chain(([chosen, isChain]) => {
    const sorted = chosen.toSorted()
    return fc.tuple(
      ...chosen.map((name) => {
        const previous = sorted[sorted.indexOf(name) - 1] ?? 'pkg.v0.9.0'
        const anything = fc.constantFrom('', 'pkg.v0.9.0', ...names)
        return fc.record({
          name: fc.constant(name),
          replaces: isChain ? fc.oneof({ weight: 8, arbitrary: fc.constant(previous) }, { weight: 1, arbitrary: anything }) : anything,
          skips: fc.oneof(
            { weight: isChain ? 5 : 1, arbitrary: fc.constant<string[]>([]) },
            { weight: 1, arbitrary: fc.shuffledSubarray(['pkg.v0.9.0', ...names], { maxLength: 2 }) },
          ),
          skipRange: fc.oneof(
            { weight: isChain ? 4 : 1, arbitrary: fc.constant('') },
            { weight: 1, arbitrary: fc.constantFrom(...ranges) },
          ),
        })
      }),
    )
  })

/** Catalogs of one package with up to three channels of five versions, valid and invalid ones. */
export const randomGraphs: fc.Arbitrary<readonly CatalogObject[]> = fc
  .record({
    channels: fc.array(entries, { minLength: 1, maxLength: 3 }),
    defaultChannel: fc.constantFrom('c0', 'c0', 'c0', 'c1', ''),
    // Bundles that are missing, so that their versions are unknown.
    missing: fc.oneof({ weight: 6, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: fc.subarray(names, { maxLength: 2 }) }),
    deprecated: fc.oneof(
      { weight: 2, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.subarray([...names, 'c0', 'pkg'], { maxLength: 3 }) },
    ),
  })
  .map(({ channels, defaultChannel, missing, deprecated }) => {
    const used = new Set(channels.flatMap((list) => list.map(({ name }) => name)))
    const schemaOf = (name: string): string => (name === 'pkg' ? 'olm.package' : name === 'c0' ? 'olm.channel' : 'olm.bundle')
    return [
      { schema: 'olm.package', name: 'pkg', defaultChannel },
      ...channels.map((list, index) => ({ schema: 'olm.channel', package: 'pkg', name: `c${index}`, entries: list })),
      ...names
        .filter((name) => used.has(name) && !missing.includes(name))
        .map((name) => ({
          schema: 'olm.bundle',
          package: 'pkg',
          name,
          image: 'r.test/pkg',
          properties: [{ type: 'olm.package', value: { packageName: 'pkg', version: name.slice('pkg.v'.length) } }],
        })),
      ...(deprecated.length === 0
        ? []
        : [
            {
              schema: 'olm.deprecations',
              package: 'pkg',
              entries: deprecated
                .filter((name) => schemaOf(name) !== 'olm.bundle' || (used.has(name) && !missing.includes(name)))
                .map((name) => ({ reference: { schema: schemaOf(name), ...(name === 'pkg' ? {} : { name }) }, message: 'old' })),
            },
          ]),
    ] as unknown as readonly CatalogObject[]
  })
