import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { excessMigrations, backoffLeftMs } from './finished-migrations.ts'
import { migrationOf } from '../migration.fixture.ts'

const startMs = Date.UTC(2026, 0, 1)

/** A migration created, and ended, at a second; by the system, or by a user. */
function past(second: number, phase: 'Succeeded' | 'Failed' | 'Running', byHand = false): VirtualMachineInstanceMigration {
  const at = new Date(startMs + second * 1000).toISOString()
  const annotations: Record<string, string> = byHand ? {} : { 'kubevirt.io/evacuationMigration': 'a' }
  return migrationOf({
    metadata: { name: `m${second}`, uid: `m${second}`, creationTimestamp: at, annotations },
    status: { phase, migrationState: { endTimestamp: at } },
  })
}

test('excessMigrations() keeps the newest five, and all that are active', () => {
  const all = [9, 1, 5, 3, 7, 2, 8].map((second) => past(second, 'Failed'))
  const found = excessMigrations([...all, past(0, 'Running')]).map(({ metadata }) => metadata.name)
  assert.deepEqual(found, ['m2', 'm1'])
})

suite('backoffLeftMs()', () => {
  const rows: readonly (readonly [string, readonly VirtualMachineInstanceMigration[], number])[] = [
    ['is 0 without failures', [], 0],
    ['is 20 s after a failure', [past(10, 'Failed')], 20],
    ['doubles with each failure', [past(8, 'Failed'), past(9, 'Failed'), past(10, 'Failed')], 80],
    ['counts from the last success', [past(8, 'Failed'), past(9, 'Succeeded'), past(10, 'Failed')], 20],
    ['ignores failures before a success', [past(9, 'Failed'), past(10, 'Succeeded')], 0],
    ['does not count migrations of users', [past(10, 'Failed', true)], 0],
    ['ends', [past(-100, 'Failed')], 0],
  ]
  for (const [name, others, expected] of rows) {
    test(name, () => assert.equal(backoffLeftMs(past(11, 'Running'), others, startMs + 10_000), expected * 1000))
  }

  test('has an upper limit', () => {
    const many = Array.from({ length: 20 }, (_, index) => past(10 - index, 'Failed'))
    assert.equal(backoffLeftMs(past(11, 'Running'), many, startMs + 10_000), 1_800_000)
  })

  test('is 0 for migrations of users', () => assert.equal(backoffLeftMs(past(11, 'Running', true), [past(10, 'Failed')], startMs), 0))
})
