import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '#apimachinery/equality.ts'
import { applyUpgradePatches, type PatchOutcome } from './apply-patches.ts'
import { parseUpgradePatches, UpgradePatchesError, type UpgradePatches } from './patch-file.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'

const fileOf = (entries: readonly object[], removals: readonly object[] = []): UpgradePatches =>
  parseUpgradePatches(JSON.stringify({ hcoCRPatchList: entries, objectsToBeRemoved: removals }))

const removal = {
  semverRange: '<1.0.0',
  groupVersionKind: { group: 'apps', version: 'v1', kind: 'DaemonSet' },
  objectKey: { name: 'x', namespace: '$(NAMESPACE)' },
}

/** A spec after patches, and their ids by what became of them. */
interface Patched {
  readonly spec: unknown
  readonly applied: readonly string[]
  readonly skipped: readonly string[]
}

function patched(spec: object, from: string, ...entries: readonly object[]): Patched {
  const version = parseTolerant(from)
  assert.ok(version)
  const after = applyUpgradePatches(deepFreeze(spec), version, fileOf(entries).patches)
  const idsOf = (result: PatchOutcome['result']): readonly string[] =>
    after.outcomes.filter((outcome) => outcome.result === result).map(({ id }) => id)
  return { spec: after.spec, applied: idsOf('Applied'), skipped: idsOf('Skipped') }
}

test('keys in upper or lower case, and options of which those that are missing are zero', () => {
  const file = parseUpgradePatches(
    JSON.stringify({
      HCOCRPATCHLIST: [
        {
          SemVerRange: '<1.0.0',
          jsonpatch: [{ op: 'remove', path: '/spec/a' }],
          JsonPatchApplyOptions: { ALLOWMISSINGPATHONREMOVE: true },
        },
        { semverRange: '<1.0.0', jsonPatch: [{ op: 'remove', path: '/spec/a' }] },
      ],
      objectstoberemoved: [
        {
          SEMVERRANGE: 'x',
          GroupVersionKind: { Group: '', VERSION: 'v1', kind: 'ServiceAccount' },
          objectkey: { Name: 'n', NAMESPACE: 'm' },
        },
      ],
    }),
  )
  assert.deepEqual(
    file.patches.map(({ options }) => options),
    [{ allowMissingPathOnRemove: true, ensurePathExistsOnAdd: false, supportNegativeIndices: false, accumulatedCopySizeLimit: 0 }, {}],
  )
  const [first] = file.removals
  assert.deepEqual([first?.resource.plural, first?.namespace, first?.name], ['serviceaccounts', 'm', 'n'])
})

test('an id is that of the file, or a hash of the entry that survives other formatting', () => {
  const entry = { semverRange: '<1.0.0', jsonPatch: [{ op: 'remove', path: '/spec/a' }] }
  const [named, hashed] = fileOf([{ id: 'mine', ...entry }, entry]).patches
  assert.equal(named?.id, 'mine')
  assert.match(hashed?.id ?? '', /^[0-9a-f]{12}$/)
  const [again] = parseUpgradePatches(JSON.stringify({ hcocrpatchlist: [entry] }, null, 4)).patches
  assert.equal(again?.id, hashed?.id)
  const [other] = fileOf([{ ...entry, semverRange: '<1.0.1' }]).patches
  assert.notEqual(other?.id, hashed?.id)
})

test('every problem of a file is named with its place', () => {
  const good = { semverRange: '<1.0.0', jsonPatch: [{ op: 'remove', path: '/spec/a' }] }
  const operation = (jsonPatch: unknown): object => ({ hcoCRPatchList: [{ semverRange: '<1.0.0', jsonPatch: [jsonPatch] }] })
  const removed = (more: object): object => ({ objectsToBeRemoved: [{ ...removal, ...more }] })
  const rows: readonly (readonly [file: unknown, problem: RegExp])[] = [
    [[], /the file must be an object/],
    [{ hcoCRPatches: [] }, /unknown key "hcoCRPatches"/],
    [{ hcoCRPatchList: {} }, /hcoCRPatchList must be a list/],
    [{ hcoCRPatchList: [good, { ...good, semverRange: '^1' }] }, /hcoCRPatchList\[1\]\.semverRange/],
    [{ hcoCRPatchList: [{ ...good, semverRange: 1 }] }, /semverRange must be a string/],
    [{ hcoCRPatchList: [good, good] }, /hcoCRPatchList\[1\] has the id/],
    [{ hcoCRPatchList: [{ ...good, jsonPatchApplyOptions: { ensurePathExistsOnAdd: 'yes' } }] }, /ensurePathExistsOnAdd must be/],
    [{ hcoCRPatchList: [{ ...good, jsonPatchApplyOptions: { accumulatedCopySizeLimit: 1.5 } }] }, /accumulatedCopySizeLimit must be/],
    [operation({ op: 'remove', path: '/metadata/name' }), /jsonPatch\[0\]\.path must begin with \/spec\//],
    [operation({ op: 'remove', path: '/spec' }), /must begin with \/spec\//],
    [operation({ op: 'move', from: '/status/x', path: '/spec/x' }), /jsonPatch\[0\]\.from must begin/],
    [operation({ op: 'copy', path: '/spec/x' }), /from must begin/],
    [operation({ op: 'add', path: '/spec/x' }), /must have a value/],
    [operation({ op: 'merge', path: '/spec/x' }), /op must be/],
    [operation({ OP: 'remove', path: '/spec/x' }), /op must be/],
    [operation(null), /jsonPatch\[0\] must be an object, and is null/],
    [operation('remove'), /jsonPatch\[0\] must be an object/],
    [removed({ groupVersionKind: { group: 'apps', kind: 'DaemonSet' } }), /version must not be empty/],
    [removed({ groupVersionKind: { group: 'apps', version: 'v1' } }), /kind must not be empty/],
    [removed({ groupVersionKind: { group: '', version: 'v1', kind: 'Secret' } }), /is Secret\., which the operator must not delete/],
    [removed({ objectKey: { namespace: 'a' } }), /name must not be empty/],
    [removed({ objectKey: { name: 'a' } }), /namespace must not be empty for a DaemonSet/],
    [removed({ objectKey: { name: 'a', namespace: '$(OTHER)' } }), /another variable/],
  ]
  for (const [file, problem] of rows)
    assert.throws(
      () => parseUpgradePatches(JSON.stringify(file)),
      (error: unknown) => error instanceof UpgradePatchesError && error.problems.length === 1 && problem.test(error.message),
      JSON.stringify(file),
    )
  assert.throws(() => parseUpgradePatches('{'), UpgradePatchesError)
  assert.throws(
    () => parseUpgradePatches(JSON.stringify({ hcoCRPatchList: [{ semverRange: '^1' }, { semverRange: '~1' }] })),
    (error: unknown) => error instanceof UpgradePatchesError && error.problems.length === 2,
  )
  assert.deepEqual(parseUpgradePatches('{}'), { patches: [], removals: [] })
})

const timeout = '/spec/virtualization/liveMigrationConfig/completionTimeoutPerGiB'
const raise = {
  id: 'raise',
  semverRange: '<1.19.0',
  jsonPatch: [
    { op: 'test', path: timeout, value: 150 },
    { op: 'replace', path: timeout, value: 20 },
  ],
}
const of = (completionTimeoutPerGiB: number): object => ({ virtualization: { liveMigrationConfig: { completionTimeoutPerGiB } } })

test('which patches apply, and to what', () => {
  const rows: readonly (readonly [what: string, result: Patched, spec: object, applied: string, skipped: string])[] = [
    ['the old default', patched(of(150), '1.18.0', raise), of(20), 'raise', ''],
    ['a value of the user', patched(of(90), '1.18.0', raise), of(90), '', 'raise'],
    ['a version out of range', patched(of(150), '1.19.0', raise), of(150), '', ''],
    ['a pre-release in range', patched(of(150), 'v1.19.0-rc.1', raise), of(20), 'raise', ''],
    [
      'a missing leaf',
      patched({ virtualization: { liveMigrationConfig: {} } }, '1.0.0', raise),
      { virtualization: { liveMigrationConfig: {} } },
      '',
      'raise',
    ],
    ['a missing parent', patched({}, '1.0.0', raise), {}, '', 'raise'],
    ['an empty range', patched(of(150), '1.0.0', { ...raise, semverRange: '' }), of(150), '', ''],
    [
      'a missing path of another operation',
      patched({}, '1.0.0', { id: 'a', semverRange: 'x', jsonPatch: [{ op: 'replace', path: '/spec/a/b', value: 1 }] }),
      {},
      '',
      'a',
    ],
    [
      'a later operation that fails: nothing of the entry',
      patched({ b: 1 }, '1.0.0', {
        id: 'a',
        semverRange: 'x',
        jsonPatch: [
          { op: 'replace', path: '/spec/b', value: 2 },
          { op: 'test', path: '/spec/b', value: 1 },
        ],
      }),
      { b: 1 },
      '',
      'a',
    ],
    [
      'entries in order: the second sees the first',
      patched(
        { b: 1 },
        '1.0.0',
        { id: 'one', semverRange: 'x', jsonPatch: [{ op: 'replace', path: '/spec/b', value: 2 }] },
        {
          id: 'two',
          semverRange: 'x',
          jsonPatch: [
            { op: 'test', path: '/spec/b', value: 2 },
            { op: 'move', from: '/spec/b', path: '/spec/c' },
          ],
        },
      ),
      { c: 2 },
      'one two',
      '',
    ],
    [
      'options: a path that is absent',
      patched({}, '1.0.0', {
        id: 'a',
        semverRange: 'x',
        jsonPatch: [
          { op: 'remove', path: '/spec/gone' },
          { op: 'add', path: '/spec/a/b', value: 1 },
        ],
        jsonPatchApplyOptions: { allowMissingPathOnRemove: true, ensurePathExistsOnAdd: true },
      }),
      { a: { b: 1 } },
      'a',
      '',
    ],
    [
      'options: no negative index unless it is asked for',
      patched({ list: [1, 2] }, '1.0.0', {
        id: 'a',
        semverRange: 'x',
        jsonPatch: [{ op: 'remove', path: '/spec/list/-1' }],
        jsonPatchApplyOptions: { allowMissingPathOnRemove: false },
      }),
      { list: [1, 2] },
      '',
      'a',
    ],
    [
      'no options: a negative index',
      patched({ list: [1, 2] }, '1.0.0', { id: 'a', semverRange: 'x', jsonPatch: [{ op: 'remove', path: '/spec/list/-1' }] }),
      { list: [1] },
      'a',
      '',
    ],
  ]
  for (const [what, result, spec, applied, skipped] of rows)
    assert.deepEqual(result, { spec, applied: applied.split(' ').filter(Boolean), skipped: skipped.split(' ').filter(Boolean) }, what)
})

test('each patch in range is either applied or skipped, and one alone is not applied a second time', () => {
  const value = fc.integer({ min: 0, max: 3 })
  const entry = fc.tuple(fc.constantFrom('a', 'b'), value, value).filter(([, old, next]) => old !== next)
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), value, value, (entries, a, b) => {
      const list = entries.map(([key, old, next], index) => ({
        id: `${index}`,
        semverRange: 'x',
        jsonPatch: [
          { op: 'test', path: `/spec/${key}`, value: old },
          { op: 'replace', path: `/spec/${key}`, value: next },
        ],
      }))
      const { applied, skipped } = patched({ a, b }, '1.0.0', ...list)
      assert.deepEqual([...applied, ...skipped].toSorted(), list.map(({ id }) => id).toSorted())
      for (const one of list) {
        const { spec } = patched({ a, b }, '1.0.0', one)
        assert.deepEqual(patched(spec as object, '1.0.0', one).applied, [])
      }
    }),
  )
})

test('a patch tells what it has changed, or why it was skipped', () => {
  const version = parseTolerant('1.0.0')
  assert.ok(version)
  const { patches } = fileOf([
    {
      id: 'change',
      semverRange: 'x',
      jsonPatch: [
        { op: 'replace', path: '/spec/a', value: 2 },
        { op: 'remove', path: '/spec/b' },
        { op: 'add', path: '/spec/c', value: { 'd.e': [1] } },
      ],
    },
    { id: 'test', semverRange: 'x', jsonPatch: [{ op: 'test', path: '/spec/a', value: 1 }] },
    { id: 'same', semverRange: 'x', jsonPatch: [{ op: 'replace', path: '/spec/a', value: 2 }] },
  ])
  const [change, skipped, same] = applyUpgradePatches({ a: 1, b: 1 }, version, patches).outcomes
  assert.deepEqual(change, {
    id: 'change',
    result: 'Applied',
    changes: [
      { path: ['a'], value: 2 },
      { path: ['b'], value: undefined },
      { path: ['c', 'd.e'], value: [1] },
    ],
  })
  assert.match(skipped?.result === 'Skipped' ? skipped.reason : '', /\/spec\/a/)
  assert.deepEqual(same, { id: 'same', result: 'Applied', changes: [] })
})
