import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import type { CatalogObject } from '#features/upgrade-graph/catalog/catalog.ts'
import { randomCatalogs } from '#features/upgrade-graph/catalog/random-catalogs.fixture.ts'
import { readCatalog } from '#features/upgrade-graph/catalog/read-catalog.ts'
import { problemText, validateCatalog } from '#features/upgrade-graph/catalog/validate-catalog.ts'
import { repeats, seed } from '../support/effort.ts'
import { repository } from '../support/machine.ts'
import { startOracle, type Oracle } from './oracle.ts'

/**
 * What opm does not find: entries without a bundle in other channels than the last one of a
 * package, since it forgets the entries of one channel with the next; and a comparator without a
 * version at the end of a range, which it drops.
 */
const onlyOurs = /: (entry "[^"]*" has no bundle|entry "[^"]*": Range ".*[<>=]" cannot be read: "" is no version)$/

/** Why opm refuses a catalog; undefined when it accepts it. */
async function refusalOf(oracle: Oracle, objects: readonly CatalogObject[]): Promise<string | undefined> {
  const text = objects.map((object) => JSON.stringify(object)).join('\n')
  const { unreadable, invalid } = (await oracle.ask({ text })) as { readonly unreadable?: string; readonly invalid?: string }
  return unreadable ?? invalid
}

test('opm accepts the catalogs that we accept, and refuses those that we refuse', async (t) => {
  const started = await startOracle('catalog-graph')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  const counts = { accepted: 0, refused: 0, onlyOurs: 0 }
  const compare = async (objects: readonly CatalogObject[]): Promise<void> => {
    const error = await refusalOf(oracle, objects)
    const problems = validateCatalog(objects).map(problemText)
    if (error === undefined && problems.length > 0 && problems.every((problem) => onlyOurs.test(problem))) {
      counts.onlyOurs += 1
      return
    }
    assert.equal(problems.length === 0, error === undefined, `ours: ${problems.join('; ')}\nopm: ${error}\n${JSON.stringify(objects)}`)
    counts[error === undefined ? 'accepted' : 'refused'] += 1
  }
  await fc.assert(fc.asyncProperty(randomCatalogs, compare), { seed, numRuns: repeats({ default: 300, long: 10_000 }) })
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.accepted > 0 && counts.refused > 0)
})

test("the packages of this release pass opm's and operator-sdk's validation", async (t) => {
  const [judge, validator] = [await startOracle('catalog-graph'), await startOracle('bundle')]
  if ('missing' in judge || 'missing' in validator) {
    t.skip('missing' in judge ? judge.missing : 'missing' in validator ? validator.missing : '')
    return
  }
  await using catalogs = judge.oracle
  await using bundles = validator.oracle
  const folder = await mkdtemp(join(tmpdir(), 'steadyvm-olm-packages-'))
  try {
    const run = (...args: readonly string[]): Promise<unknown> =>
      promisify(execFile)(join(repository, 'bin/steadyvm'), ['package', ...args])
    await run('olm', '--output', join(folder, 'bundle'))
    const { errors } = (await bundles.ask(join(folder, 'bundle'))) as { readonly errors: readonly string[] | null }
    assert.deepEqual(errors ?? [], [])
    await run('catalog', '--output', join(folder, 'catalog'), '--bundle-image', 'r.test/steadyvm-bundle:v1')
    const objects = readCatalog(await readFile(join(folder, 'catalog', 'steadyvm', 'catalog.yaml'), 'utf8'))
    assert.deepEqual(objects.map(({ schema }) => schema).toSorted(), ['olm.bundle', 'olm.channel', 'olm.package'])
    assert.equal(await refusalOf(catalogs, objects), undefined)
  } finally {
    await rm(folder, { recursive: true })
  }
})
