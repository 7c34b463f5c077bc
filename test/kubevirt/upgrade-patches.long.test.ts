import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyUpgradePatches } from '#features/hyperconverged/lifecycle/upgrade/patches/apply-patches.ts'
import { parseUpgradePatches } from '#features/hyperconverged/lifecycle/upgrade/patches/patch-file.ts'
import { releasedVersions } from '#features/hyperconverged/lifecycle/upgrade/patches/releases.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { defaultSpecs } from '#features/hyperconverged/lifecycle/upgrade/patches/validate.ts'
import fc from 'fast-check'
import { repeats, seed } from '../support/effort.ts'
import { startOracle } from './oracle.ts'
import { upstreamSource } from './source.ts'

interface Answer {
  readonly spec?: unknown
  readonly error?: string
  readonly removes: readonly string[]
}

test("upstream's upgradePatches.json gives upstream's result", async (t) => {
  const source = await upstreamSource('hyperconverged-cluster-operator')
  const started = 'missing' in source ? source : await startOracle('upgrade-patches', [join(source.folder, 'assets')])
  if ('missing' in source || 'missing' in started) {
    t.skip('missing' in source ? source.missing : 'missing' in started ? started.missing : '')
    return
  }
  await using oracle = started.oracle
  const { patches, removals } = parseUpgradePatches(await readFile(join(source.folder, 'assets', 'upgradePatches.json'), 'utf8'))
  const versions = fc.oneof(
    fc.constantFrom(...releasedVersions.map(({ version }) => version), '', '1.18.9', '1.19.0-rc.1', 'v1.19.0', '1.16', '2'),
    fc.tuple(fc.nat(2), fc.nat(25), fc.nat(3)).map((numbers) => numbers.join('.')),
  )
  const specs = fc.oneof(
    fc.constantFrom(...defaultSpecs(releasedVersions).values()),
    fc
      .record(
        {
          liveMigrationConfig: fc.record(
            { completionTimeoutPerGiB: fc.constantFrom(150, 20, 0, 151), progressTimeout: fc.constantFrom(150, 7) },
            { requiredKeys: [] },
          ),
          evictionStrategy: fc.constantFrom('None', 'LiveMigrate'),
        },
        { requiredKeys: [] },
      )
      .map((virtualization) => ({ virtualization })),
    fc.constant({}),
  )
  let compared = 0
  await fc.assert(
    fc.asyncProperty(versions, specs, async (from, spec) => {
      const known = from === '' ? '0.0.0' : from
      const ask = (of: unknown): Promise<Answer> =>
        oracle.ask({ from: known, object: { metadata: { name: 'kubevirt-hyperconverged' }, spec: of } }) as Promise<Answer>
      const [theirs, version] = [await ask(spec), parseTolerant(known)]
      assert.ok(version !== undefined, known)
      const removes = removals.filter(({ range }) => range(version)).map(({ resource, name }) => `${resource.kind} ${name}`)
      assert.deepEqual(removes, theirs.removes, known)
      const ours = applyUpgradePatches(spec, version, patches)
      compared++
      assert.equal(theirs.error, undefined)
      // Both as upstream writes them, with the zero values of its types.
      assert.deepEqual(((await oracle.ask({ from: '99.0.0', object: { metadata: {}, spec: ours.spec } })) as Answer).spec, theirs.spec)
    }),
    { numRuns: repeats({ default: 200, long: 2000 }), seed },
  )
  t.diagnostic(`${compared} upgrades compared`)
})
