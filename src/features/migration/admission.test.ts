import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { completeMigration, validateMigration, validateMigrationUpdate, type MigrationReviewContext } from './admission.ts'
import { applyJsonPatch } from '#apimachinery/patch/json-patch.ts'
import { guestOf, migrationOf } from './migration.fixture.ts'

const around: MigrationReviewContext = { vmi: guestOf(), others: [], isSystem: false }
const running = migrationOf({ metadata: { uid: 'other' }, status: { phase: 'Running' } })

suite('validateMigration()', () => {
  const rows: readonly (readonly [string, Partial<MigrationReviewContext>, ReturnType<typeof migrationOf>, RegExp | undefined])[] = [
    ['accepts a valid migration', {}, migrationOf(), undefined],
    ['needs a guest', { vmi: undefined }, migrationOf(), /"web" does not exist/],
    ['requires a VMI that is not final', { vmi: guestOf({ phase: 'Failed' }) }, migrationOf(), /finalized state/],
    [
      'names the reason why a guest is not migratable',
      { vmi: guestOf({ conditions: [{ type: 'LiveMigratable', status: 'False', reason: 'R', message: 'm' }] }) },
      migrationOf(),
      /^Cannot migrate VMI, Reason: R, Message: m$/,
    ],
    [
      'accepts one migration of a guest at a time',
      { others: [running] },
      migrationOf(),
      /^in-flight migration detected\. Active migration job \(other\)/,
    ],
    ['ignores final migrations', { others: [migrationOf({ status: { phase: 'Failed' } })] }, migrationOf(), undefined],
    ['reserves system priorities', {}, migrationOf({ spec: { vmiName: 'web', priority: 'system-critical' } }), /priority/],
    ['accepts node labels', {}, migrationOf({ spec: { vmiName: 'web', addedNodeSelector: { 'a.io/zone': 'b' } } }), undefined],
    [
      'requires valid label names',
      {},
      migrationOf({ spec: { vmiName: 'web', addedNodeSelector: { 'bad key!': 'b' } } }),
      /"bad key!": name part must consist of/,
    ],
    [
      'requires valid label values',
      {},
      migrationOf({ spec: { vmiName: 'web', addedNodeSelector: { zone: 'v v' } } }),
      /"v v": a valid label must/,
    ],
    ['which may', { isSystem: true }, migrationOf({ spec: { vmiName: 'web', priority: 'system-critical' } }), undefined],
  ]
  for (const [name, change, migration, expected] of rows) {
    test(name, () => {
      const [cause] = validateMigration(migration, { ...around, ...change })
      if (expected === undefined) assert.equal(cause, undefined)
      else assert.match(cause?.message ?? '', expected)
    })
  }
})

suite('validateMigrationUpdate()', () => {
  test('refuses a change of the spec', () => {
    assert.equal(validateMigrationUpdate(migrationOf({ spec: { vmiName: 'other' } }), migrationOf()).length, 1)
    assert.equal(validateMigrationUpdate(migrationOf({ status: { phase: 'Running' } }), migrationOf()).length, 0)
  })

  test('refuses to change the VMI label of an active migration', () => {
    const changed = migrationOf({ metadata: { labels: {} } })
    assert.equal(validateMigrationUpdate(changed, running).length, 1)
    assert.equal(validateMigrationUpdate(changed, migrationOf({ status: { phase: 'Failed' } })).length, 0)
  })
})

suite('completeMigration()', () => {
  test('keeps existing labels and finalizers, and adds nothing twice', () => {
    const sent = { metadata: { name: 'm', labels: { mine: 'x' }, finalizers: ['mine'] }, spec: { vmiName: 'web' } }
    const complete = applyJsonPatch(sent, completeMigration(sent)) as typeof sent
    assert.deepEqual(complete.metadata.labels, { mine: 'x', 'kubevirt.io/vmi-name': 'web' })
    assert.deepEqual(complete.metadata.finalizers, ['mine', 'kubevirt.io/migrationJobFinalize'])
    assert.deepEqual(completeMigration(complete), [])
  })

  test('adds all of them to a migration without any', () => {
    const sent = { metadata: { name: 'm' }, spec: { vmiName: 'web' } }
    assert.notDeepEqual(applyJsonPatch(sent, completeMigration(sent)), sent)
  })
})
