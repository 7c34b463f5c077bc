import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { applyUpgradePatches } from '../patches/apply-patches.ts'
import { parseUpgradePatches, type UpgradePatch } from '../patches/patch-file.ts'
import type { ReleasedVersion } from '../patches/releases.ts'
import { checkReleases } from './check-releases.ts'
import { convergenceOf, type ReleaseStep } from './convergence.ts'

const shipped = readFileSync(join(import.meta.dirname, ...Array<string>(6).fill('..'), 'manifests', 'upgradePatches.json'), 'utf8')
const patchesOf = (...entries: readonly object[]): string => JSON.stringify({ hcoCRPatchList: entries })
const patch = (id: string, semverRange: string, ...operations: readonly object[]): object => ({ id, semverRange, jsonPatch: operations })
const history: readonly ReleasedVersion[] = [
  { version: '1.0.0', defaults: { a: 1 } },
  { version: '1.1.0' },
  { version: 'v0.1.0', upgradePatches: ['p'] },
  { version: 'v0.2.0', upgradePatches: ['p'] },
]
const set = (value: number): readonly object[] => [
  { op: 'test', path: '/spec/a', value: 1 },
  { op: 'replace', path: '/spec/a', value },
]

suite('the graph of our own releases', () => {
  test('has no finding, and its patches give the same object on all ways', () => {
    const { findings, convergence, isValid } = checkReleases(shipped)
    assert.deepEqual(findings, [])
    assert.ok(isValid)
    assert.deepEqual(convergence?.divergences, [])
    assert.ok((convergence?.ways ?? 0n) > 10n && (convergence?.objects ?? 0) > 5)
  })

  test('is that of the rules by which upgrades are refused: any version to any later one of ours, but over no required stop', () => {
    const releases = history.with(2, { version: 'v0.1.0', isRequiredStop: true })
    const steps = (all: readonly ReleasedVersion[]): readonly string[] => {
      const { scopes } = checkReleases(patchesOf(), {}, all)
      return scopes.flatMap(({ targets, package: { versions } }) =>
        targets.flatMap((target) =>
          versions
            .filter(
              ({ rank, name }) =>
                name !== target.to.name &&
                (target.named.includes(rank) || target.range.some(({ from, until }) => from <= rank && rank < until)),
            )
            .map(({ text }) => `${text} ${target.to.text}`),
        ),
      )
    }
    assert.deepEqual(steps(history).toSorted(), ['0.1.0 0.2.0', '1.0.0 0.1.0', '1.0.0 0.2.0', '1.0.0 1.1.0', '1.1.0 0.1.0', '1.1.0 0.2.0'])
    assert.deepEqual(steps(releases).toSorted(), ['0.1.0 0.2.0', '1.0.0 0.1.0', '1.0.0 1.1.0', '1.1.0 0.1.0'])
  })

  const rows: readonly (readonly [title: string, text: string, found: RegExp])[] = [
    ['a patch for all older versions', patchesOf(patch('p', '<1.2.0', ...set(2))), /^$/],
    ['a patch for one version only', patchesOf(patch('p', '1.0.0', ...set(2))), /default object of 1\.0\.0 depends on the way: .*1\.1\.0/],
    ['a patch that is no file', '{', /cannot be read/],
    ['a patch that counts how often it is applied', patchesOf(patch('p', '<1.2.0', { op: 'add', path: '/spec/list/-', value: 1 })), /^$/],
  ]
  for (const [title, text, found] of rows) {
    test(`with ${title}`, () => {
      const { findings } = checkReleases(text, {}, history)
      assert.match(findings.map(({ what }) => what).join(), found)
      assert.ok(findings.every(({ id, severity }) => id === 'patches-diverge' && severity === 'error'))
    })
  }
})

suite('convergenceOf()', () => {
  const random = fc.record({
    count: fc.integer({ min: 2, max: 5 }),
    missing: fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 4 }),
    patches: fc.array(
      fc.record({
        from: fc.nat(4),
        until: fc.nat(5),
        key: fc.constantFrom('a', 'b'),
        old: fc.nat(2),
        next: fc.nat(2),
        ships: fc.subarray([0, 1, 2, 3, 4]),
      }),
      { maxLength: 3 },
    ),
  })

  test('finds a divergence exactly if two of all ways differ', () => {
    let diverging = 0
    fc.assert(
      fc.property(random, ({ count, missing, patches: drawn }) => {
        const releases = Array.from({ length: count }, (_, index): ReleasedVersion => ({
          version: `1.${index}.0`,
          ...(index === 0 ? { defaults: { a: 0, b: 0 } } : {}),
          upgradePatches: drawn.flatMap(({ ships }, id) => (ships.includes(index) ? [`p${id}`] : [])),
        }))
        const steps = releases.flatMap((_, from) =>
          releases.flatMap((_other, to): readonly ReleaseStep[] =>
            from < to && !missing.some(([one, other]) => one === from && other === to) ? [[from, to]] : [],
          ),
        )
        const { patches } = parseUpgradePatches(
          patchesOf(
            ...drawn.map(({ from, until, key, old, next }, id) =>
              patch(
                `p${id}`,
                `>=1.${from}.0 <1.${until}.0`,
                { op: 'test', path: `/spec/${key}`, value: old },
                { op: 'replace', path: `/spec/${key}`, value: next },
              ),
            ),
          ),
        )
        const wanted = releases.some((_, start) => resultsFrom(start, releases, steps, patches, { a: 0, b: 0 }))
        const { divergences, ways } = convergenceOf(releases, steps, patches)
        assert.equal(
          divergences.some(({ edited }) => edited === ''),
          wanted,
        )
        assert.equal(ways, BigInt(releases.reduce((sum, _, start) => sum + allWays(start, steps).length, 0)))
        diverging += wanted ? 1 : 0
      }),
      { numRuns: 300 },
    )
    assert.ok(diverging > 0)
  })
})

/** All ways from a release, one by one. */
function allWays(start: number, steps: readonly ReleaseStep[]): readonly (readonly number[])[] {
  return steps.filter(([from]) => from === start).flatMap(([, to]) => [[start, to], ...allWays(to, steps).map((way) => [start, ...way])])
}

/** Reports whether two ways to the same release give different objects. */
function resultsFrom(
  start: number,
  releases: readonly ReleasedVersion[],
  steps: readonly ReleaseStep[],
  patches: readonly UpgradePatch[],
  spec: object,
): boolean {
  const results = allWays(start, steps).map((way) => {
    let [object, decided] = [spec as unknown, [] as readonly string[]]
    for (const [index, to] of way.entries()) {
      const from = releases[way[index - 1] ?? -1]
      if (from === undefined) continue
      const pending = patches.filter(({ id }) => releases[to]?.upgradePatches?.includes(id) === true && !decided.includes(id))
      const after = applyUpgradePatches(object, parseTolerant(from.version) ?? assert.fail(), pending)
      object = after.spec
      decided = [...decided, ...after.outcomes.map(({ id }) => id)]
    }
    return { to: way.at(-1), text: JSON.stringify(object) }
  })
  return results.some((one) => results.some((other) => one.to === other.to && one.text !== other.text))
}
