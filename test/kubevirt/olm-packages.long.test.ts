import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { readCatalog, type CatalogObject } from '#features/hyperconverged/lifecycle/olm/catalog/catalog.ts'
import { randomCatalogs } from '#features/hyperconverged/lifecycle/olm/catalog/random-catalogs.fixture.ts'
import { validateCatalog } from '#features/hyperconverged/lifecycle/olm/catalog/validate-catalog.ts'
import { repeats, seed } from '../support/effort.ts'
import { repository } from '../support/machine.ts'
import { startOracle } from './oracle.ts'

/**
 * What opm does not find: entries without a bundle in other channels than the last one of a
 * package, since it forgets the entries of one channel with the next; and a comparator without a
 * version at the end of a range, which it drops.
 */
const onlyOurs = /: (entry "[^"]*" has no bundle|entry "[^"]*": Range ".*[<>=]" cannot be read: "" is no version)$/

test('opm accepts the catalogs that we accept, and refuses those that we refuse', async (t) => {
  const started = await startOracle('catalog')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  const counts = { accepted: 0, refused: 0, onlyOurs: 0 }
  const compare = async (objects: readonly CatalogObject[]): Promise<void> => {
    const { error } = (await oracle.ask(objects)) as { readonly error?: string }
    const problems = validateCatalog(objects)
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
  const [judge, validator] = [await startOracle('catalog'), await startOracle('bundle')]
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
    assert.deepEqual(await catalogs.ask(objects), {})
  } finally {
    await rm(folder, { recursive: true })
  }
})
