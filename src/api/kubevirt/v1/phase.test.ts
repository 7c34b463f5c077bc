import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMigrationFinal, isVmiFinal } from './phase.ts'

test('isVmiFinal() is true only for phases that a VMI never leaves', () => {
  const final = ['Pending', 'Scheduling', 'Scheduled', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const
  assert.deepEqual(
    final.filter((phase) => isVmiFinal({ status: { phase } })),
    ['Succeeded', 'Failed'],
  )
  assert.equal(isVmiFinal({}), false)
})

test('isMigrationFinal() is true only for phases that a migration never leaves', () => {
  const phases = ['Pending', 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running', 'Succeeded', 'Failed'] as const
  assert.deepEqual(
    phases.filter((phase) => isMigrationFinal({ status: { phase } })),
    ['Succeeded', 'Failed'],
  )
  assert.equal(isMigrationFinal({}), false)
})
