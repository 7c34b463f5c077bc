import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPodTerminal } from './pod-phase.ts'

test('isPodTerminal() is true only for phases that a pod never leaves', () => {
  const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const
  assert.deepEqual(
    phases.filter((phase) => isPodTerminal({ status: { phase } })),
    ['Succeeded', 'Failed'],
  )
  assert.equal(isPodTerminal({}), false)
})
